package rest

import (
	"encoding/json"
	"net/http"
	"runtime"
	"strings"

	"github.com/decorum-go/decorum/rest/internal/media"
)

// ProgramVersion is the answer of /version, which kubectl version prints. GitVersion must be a semantic version with a
// leading v, because clients refuse anything else. If it is empty, it is a version of this library; Major and Minor
// follow from GitVersion, and GoVersion, Compiler and Platform from the running program.
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

// version answers /version. The document exists only as JSON, so a client that does not accept JSON is refused.
func (q *request) version() error {
	if err := q.onlyGet(); err != nil {
		return err
	}
	if accept := q.r.Header["Accept"]; len(accept) > 0 && accept[0] != "" &&
		media.Preferred(strings.Join(accept, ","), media.JSON) == "" {
		return media.NotRouted(media.JSON)
	}
	body, err := json.MarshalIndent(q.api.options.Version, "", "  ")
	if err != nil {
		return err
	}
	return q.writeRaw(http.StatusOK, media.JSON, body, nil)
}
