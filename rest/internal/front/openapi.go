package front

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/openapi"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/status"
)

// openAPIv2 answers /openapi/v2: one document for all groups.
func (q *request) openAPIv2() error {
	if err := q.onlyGet(); err != nil {
		return err
	}
	accept := strings.ReplaceAll(strings.Join(q.r.Header["Accept"], ","), openapi.MediaV2ProtobufOld,
		openapi.MediaV2Protobuf)
	write, form := q.serving.openapi.V2, media.Preferred(accept, media.JSON, openapi.MediaV2Protobuf)
	switch form {
	case "":
		return status.NotAcceptable([]string{media.JSON, openapi.MediaV2Protobuf})
	case openapi.MediaV2Protobuf:
		write = q.serving.openapi.V2Protobuf
	}
	body, err := write()
	if err != nil {
		return err
	}
	return q.writeCached(form, body, nil, headerNoCache[0])
}

// openAPIv3Index answers /openapi/v3: where the document of each group and version is.
func (q *request) openAPIv3Index() error {
	if err := q.onlyGet(); err != nil {
		return err
	}
	type entry struct {
		ServerRelativeURL string `json:"serverRelativeURL"`
	}
	paths := map[string]entry{}
	for name, document := range q.serving.openapi.V3 {
		d, err := document()
		if err != nil {
			return err
		}
		paths[name] = entry{q.documentURL(name, d.Hash)}
	}
	body, err := codec.EncodeOwn(map[string]any{"paths": paths})
	if err != nil {
		return err
	}
	return q.writeCached(media.JSON, body, nil, headerNoCache[0])
}

// documentURL is where a document with this content is, below the prefix under which the client has found the API.
func (q *request) documentURL(name, hash string) string {
	return route.MountPrefix(q.r.RequestURI, q.r.URL) + "/openapi/v3/" + name + "?hash=" + url.QueryEscape(hash)
}

// openAPIv3 answers with the document of one group and version. A URL with the document's hash never changes its
// content; one with an old hash leads to the new one.
func (q *request) openAPIv3() error {
	if err := q.onlyGet(); err != nil {
		return err
	}
	accept := strings.ReplaceAll(strings.Join(q.r.Header["Accept"], ","), openapi.MediaV3ProtobufOld,
		openapi.MediaV3Protobuf)
	form := media.Preferred(accept, media.JSON, openapi.MediaV3Protobuf)
	if form == "" {
		return status.NotAcceptable([]string{media.JSON, openapi.MediaV3Protobuf})
	}
	path, _ := route.Path(q.r.URL)
	name := strings.TrimPrefix(path, "/openapi/v3/")
	document, ok := q.serving.openapi.V3[name]
	if !ok {
		return status.ResourceNotFound()
	}
	d, err := document()
	if err != nil {
		return err
	}
	body := d.Body
	if form == openapi.MediaV3Protobuf {
		if body, err = d.Protobuf(); err != nil {
			return err
		}
	}
	cacheControl := headerNoCache[0]
	switch hash := q.query.Get("hash"); {
	case hash == "":
	case hash != d.Hash:
		q.w.Header().Set("Location", q.documentURL(name, d.Hash))
		return q.writeRaw(http.StatusMovedPermanently, media.Text, nil, nil)
	default:
		cacheControl = "public, immutable"
		q.w.Header().Set("Expires", q.api.options.Now().Add(365*24*time.Hour).UTC().Format(http.TimeFormat))
	}
	return q.writeCached(form, body, nil, cacheControl)
}

// describedPaths returns the descriptions of the paths outside of all groups.
func (a *Front) describedPaths() (all []openapi.Path) {
	for _, path := range slices.Sorted(maps.Keys(a.paths)) {
		if handler, ok := a.paths[path].(openapi.Described); ok {
			all = append(all, handler.OpenAPI())
		}
	}
	return all
}
