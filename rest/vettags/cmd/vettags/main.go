// Command vettags is a tool for go vet that reports wrong api tags, see package vettags:
//
//	go vet -vettool=$(go env GOPATH)/bin/vettags ./...
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/decorum-go/decorum/rest/vettags"
)

func main() { unitchecker.Main(vettags.Analyzer) }
