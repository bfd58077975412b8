package resource

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// continueToken says where a list goes on: at which revision, and after which object. It is opaque to clients. Its
// start is a key below the list's own namespace, so that a forged token reaches nothing that the caller's list would
// not.
type continueToken struct {
	Version  string `json:"v"`
	Revision int64  `json:"rv"` // -1: whatever is current
	Start    string `json:"start"`
}

const (
	tokenVersion    = "meta.k8s.io/v1"
	currentRevision = -1
)

// startEnd is what follows the last key served: the smallest key after it.
const startEnd = "\x00"

func encodeContinue(namespace string, revision int64, last storage.Key) string {
	start := last.Name
	if namespace == "" && last.Namespace != "" {
		start = last.Namespace + "/" + last.Name
	}
	// A struct of a number and two strings always encodes.
	data, _ := json.Marshal(continueToken{Version: tokenVersion, Revision: revision, Start: start + startEnd})
	return base64.RawURLEncoding.EncodeToString(data)
}

// decodeContinue returns the revision of a token and the key after which the list goes on.
func (res *Resource) decodeContinue(token, namespace string) (revision int64, after storage.Key, err error) {
	invalid := func(reason any) (int64, storage.Key, error) {
		return 0, storage.Key{}, status.BadRequest(fmt.Sprintf("invalid continue token: continue key is not valid: %v", reason))
	}
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return invalid(err)
	}
	var t continueToken
	if err := json.Unmarshal(data, &t); err != nil {
		return invalid(strings.ReplaceAll(err.Error(), "rest.continueToken", "storage.continueToken")) // as clients know it
	}
	switch {
	case t.Version != tokenVersion:
		return invalid("server does not recognize this encoded version " + t.Version)
	case t.Revision == 0 || t.Revision < currentRevision:
		return invalid("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	case t.Start == "":
		return invalid("encoded start key empty (version meta.k8s.io/v1)")
	}
	start, after := lastBefore(t.Start), res.key(namespace, "")
	after.Name = start
	if res.Kind.Namespaced && namespace == "" {
		var ok bool
		if after.Namespace, after.Name, ok = strings.Cut(start, "/"); !ok {
			return invalid("encoded start key is none of this server's")
		}
	}
	if after.Name == "" || strings.ContainsAny(after.Name, "/\x00") {
		return invalid("encoded start key is none of this server's")
	}
	return t.Revision, after, nil
}

// lastBefore is what a list that begins at start has shown last.
func lastBefore(start string) string {
	if last, ok := strings.CutSuffix(start, startEnd); ok {
		return last
	}
	end := len(start) - 1
	return start[:end] + string([]byte{start[end] - 1, 0xff}) // no name has such a byte
}
