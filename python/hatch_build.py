"""Puts the static program into the wheel: GOOS and GOARCH choose for which system."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# A static program needs no C library, so that one wheel serves glibc and musl. macOS 12 is
# the oldest that Go 1.26 builds for.
TAGS = {
    ("linux", "amd64"): "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    ("linux", "arm64"): "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    ("darwin", "amd64"): "macosx_12_0_x86_64",
    ("darwin", "arm64"): "macosx_12_0_arm64",
}


def version() -> str:
    """The version that this commit is tagged with, as pip writes it: 1.2.0, 1.2.0rc1; else 0.dev0."""
    command = ["git", "describe", "--tags", "--exact-match"]
    tag = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True).stdout.strip()
    m = re.fullmatch(r"v(\d+\.\d+\.\d+)(?:-rc\.?(\d+))?", tag)
    return (m[1] + (f"rc{m[2]}" if m[2] else "")) if m else "0.dev0"


class CustomBuildHook(BuildHookInterface[Any]):
    """Builds the program from the clone that this folder lies in."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        env = os.environ | {"CGO_ENABLED": "0"}
        names = subprocess.check_output(["go", "env", "GOOS", "GOARCH"], text=True).split()
        tags = TAGS[names[0], names[1]]
        self.folder = tempfile.TemporaryDirectory()
        program = Path(self.folder.name, "tacet")
        command = ["go", "build", "-trimpath", "-ldflags=-s -w", "-o", str(program), "./cmd/tacet"]
        subprocess.run(command, cwd=Path(self.root).parent, env=env, check=True)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tags}"
        build_data["force_include"][str(program)] = "tacet/bin/tacet"
        license = Path(self.root).parent / "LICENSE"
        build_data["force_include"][str(license)] = f"tacet-{self.metadata.version}.dist-info/licenses/LICENSE"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self.folder.cleanup()
