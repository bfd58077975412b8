package server

import "github.com/decorum-go/decorum/rest"

// Version is the version of Kubernetes whose API this is.
const Version = "v1.36.3"

// version is what clients read from /version. Some of them decide by it what the server supports.
func version() rest.Version {
	return rest.Version{GitVersion: Version, GitCommit: "decorum", GitTreeState: "clean"}
}
