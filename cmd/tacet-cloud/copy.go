package main

import (
	"context"
	neturl "net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// A Copying is an object that shall stand at another address, too, as long as it has its tag.
type Copying struct{ From, To, Tag string }

// Copy puts an object where none stands; its bytes do not pass here. Not all stores can.
func (s *Store) Copy(asked Copying, reply *Outcome) error {
	from, err := s.at(asked.From)
	if err != nil {
		*reply = from.outcome(err)
		return nil
	}
	to, err := s.at(asked.To)
	var client *s3.Client
	u, parsed := neturl.Parse(asked.To)
	if err != nil || parsed != nil || from.bucket != to.bucket || !to.bucket.As(&client) {
		*reply = Outcome{Kind: unable}
		return nil
	}
	*reply = to.outcome(to.tried(func() error {
		ctx, cancel := context.WithTimeout(s.ctx, wait)
		defer cancel()
		_, err := client.CopyObject(ctx, &s3.CopyObjectInput{Bucket: aws.String(u.Host), Key: aws.String(to.key),
			CopySource:        aws.String((&neturl.URL{Path: u.Host + "/" + from.key}).EscapedPath()),
			CopySourceIfMatch: aws.String(asked.Tag), IfNoneMatch: aws.String("*"),
			MetadataDirective: types.MetadataDirectiveReplace, ContentType: aws.String(contentType)})
		return err
	}))
	return nil
}
