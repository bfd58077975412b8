package front

import (
	"crypto/sha512"
	"encoding/hex"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/status"
)

// onlyGet refuses every method but GET, and an invalid timeout.
func (q *request) onlyGet() error {
	if q.r.Method != http.MethodGet {
		return status.MethodNotAllowed()
	}
	_, err := q.timeout()
	return err
}

// legacyGroups answers /api with the versions of the core group.
func (q *request) legacyGroups() error {
	return q.discover(media.OfDocument(codec.APIVersionsMessage(), true), func(g kind.Group) bool { return g.Name == "" },
		func() any { return kind.CoreVersions(q.serving.Groups, q.serverAddress()) })
}

// serverAddress returns the address at which the client has reached the host.
func (q *request) serverAddress() string {
	if addr, ok := q.r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		return addr.String()
	}
	return q.r.Host
}

// groups answers /apis with all groups but the core group.
func (q *request) groups() error {
	return q.discover(media.OfDocument(codec.APIGroupListMessage(), false), func(g kind.Group) bool { return g.Name != "" },
		func() any { return kind.GroupList(q.serving.Groups) })
}

// group answers /apis/GROUP.
func (q *request) group() error {
	if err := q.onlyGet(); err != nil {
		return err
	}
	path, _ := route.Path(q.r.URL)
	for _, g := range q.serving.Groups {
		if "/apis/"+g.Name == path {
			return q.writeDiscovery(media.OfDocument(codec.APIGroupMessage(), false), g.Discovery())
		}
	}
	return q.unknownPath()
}

// groupVersion answers /api/VERSION and /apis/GROUP/VERSION with the resources of the version.
func (q *request) groupVersion() error {
	if err := q.onlyGet(); err != nil {
		return err
	}
	path, _ := route.Path(q.r.URL)
	v, ok := kind.VersionAt(q.serving.Groups, path)
	if !ok {
		return q.unknownPath()
	}
	return q.writeDiscovery(media.OfDocument(codec.APIResourceListMessage(), v.RouteChecks()), v.Discovery())
}

// writeDiscovery sends a document in the negotiated media type.
func (q *request) writeDiscovery(of *media.Kind, v any) error {
	rep, err := q.negotiateOf(of, media.OneObject)
	if err != nil {
		return err
	}
	return q.writeOwn(http.StatusOK, rep, v)
}

// discover answers /api and /apis. Clients that accept the aggregated form receive the groups that belong to the path;
// others receive the legacy document (API concepts, API discovery).
func (q *request) discover(of *media.Kind, belongs func(kind.Group) bool, legacy func() any) error {
	if err := q.onlyGet(); err != nil {
		return err
	}
	rep, mediaType := media.AggregatedIn(q.r.Header["Accept"])
	if rep == nil {
		return q.writeDiscovery(of, legacy())
	}
	body, err := codec.EncodeOwn(kind.Aggregated(q.serving.Groups, belongs))
	if err != nil {
		return err
	}
	if rep.IsPlain() {
		return q.writeCached(mediaType, body, newline, "public")
	}
	loan := q.lend()
	if err := loan.Take(int64(rep.Room(body))); err != nil {
		return err
	}
	defer loan.Release()
	if body, err = rep.Encode(body); err != nil {
		return err
	}
	loan.Keep(int64(len(body))) // the rest was for the encoding
	return q.writeCached(mediaType, body, nil, "public")
}

// writeCached sends a document that seldom changes, with an ETag. A client that already has it receives 304 Not
// Modified.
func (q *request) writeCached(contentType string, body, end []byte, cacheControl string) error {
	sum := sha512.Sum512(body)
	tag := `"` + strings.ToUpper(hex.EncodeToString(sum[:])) + `"`
	h := q.w.Header()
	h.Set("ETag", tag)
	h.Set("Vary", "Accept")
	h.Set("Cache-Control", cacheControl)
	if media.HasTag(q.r.Header["If-None-Match"], tag) {
		q.begin()
		q.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return q.writeRaw(http.StatusOK, contentType, body, end)
}

// index answers the root with the paths that the API serves.
func (q *request) index() error {
	if err := q.onlyGet(); err != nil {
		return err
	}
	paths := []string{"/api", "/apis", "/apis/", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"}
	paths = append(paths, kind.Paths(q.serving.Groups)...)
	paths = slices.AppendSeq(paths, maps.Keys(q.api.paths))
	slices.Sort(paths)
	return q.writeOwn(http.StatusOK, media.PlainJSON(q.wantsPretty()), map[string][]string{"paths": paths})
}
