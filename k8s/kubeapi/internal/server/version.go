package server

import "github.com/decorum-go/decorum/rest"

// version is what clients read from /version. Some of them decide by it what the server supports.
func version() rest.ProgramVersion {
	return rest.ProgramVersion{GitVersion: rest.KubernetesVersion, GitCommit: "decorum", GitTreeState: "clean"}
}
