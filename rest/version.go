package rest

import (
	"runtime"
	"strings"
)

// ProgramVersion is the answer of /version, which kubectl version prints. GitVersion must be a semantic version with a
// leading v, because clients refuse anything else. By default it is the version of this library, Major and Minor are
// taken from GitVersion, and GoVersion, Compiler and Platform from the running program.
type ProgramVersion struct {
	Major        string `json:"major"`
	Minor        string `json:"minor"`
	GitVersion   string `json:"gitVersion"`
	GitCommit    string `json:"gitCommit"`
	GitTreeState string `json:"gitTreeState"`
	BuildDate    string `json:"buildDate"`
	GoVersion    string `json:"goVersion"`
	Compiler     string `json:"compiler"`
	Platform     string `json:"platform"`
}

// KubernetesVersion is the release of Kubernetes that the library follows: its API server answers as recorded answers
// of this release do.
const KubernetesVersion = "v1.37.2"

func (v ProgramVersion) withDefaults() ProgramVersion {
	if v.GitVersion == "" {
		v.GitVersion = KubernetesVersion + "+decorum"
	}
	if parts := strings.SplitN(strings.TrimPrefix(v.GitVersion, "v"), ".", 3); v.Major == "" && len(parts) == 3 {
		v.Major, v.Minor = parts[0], parts[1]
	}
	if v.GoVersion == "" {
		v.GoVersion, v.Compiler, v.Platform = runtime.Version(), runtime.Compiler, runtime.GOOS+"/"+runtime.GOARCH
	}
	return v
}
