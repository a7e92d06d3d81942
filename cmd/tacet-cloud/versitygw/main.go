// Command versitygw is the gateway that make s3 tries the stores on: a server of S3 over a folder. It takes
// those flags of the program of that name that tests give, and lacks the tests and other stores that are
// linked into that.
package main

import (
	"context"
	"flag"
	"io/fs"
	"log"
	"os"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

func main() {
	port := flag.String("port", "127.0.0.1:7070", "`ADDRESS` to listen on")
	quiet := flag.Bool("quiet", false, "print no requests")
	flag.Parse()
	if flag.NArg() != 2 || flag.Arg(0) != "posix" {
		log.Fatal("versitygw [--port ADDRESS] [--quiet] posix FOLDER")
	}
	options := posix.PosixOpts{Concurrency: 5000, CopyObjectThreshold: 5 << 30}
	options.SetNewDirPerm(fs.FileMode(0o755))
	options.SetNewFilePerm(fs.FileMode(0o644))
	folder, err := posix.New(flag.Arg(1), meta.XattrMeta{}, options)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(embedgw.RunVersityGW(context.Background(), folder, &embedgw.Config{
		RootUserAccess: os.Getenv("ROOT_ACCESS_KEY"), RootUserSecret: os.Getenv("ROOT_SECRET_KEY"),
		Region: "us-east-1", Ports: []string{*port}, Quiet: *quiet,
		MaxConnections: 250_000, MaxRequests: 100_000, AdminMaxConnections: 1, AdminMaxRequests: 1,
		MultipartMaxParts: 10_000}))
}
