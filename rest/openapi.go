package rest

import (
	"crypto/sha512"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/openapi"
	"github.com/decorum-go/decorum/status"
)

// openAPI holds the documents that describe the API. They are written when first asked for.
type openAPI struct {
	v2 map[string]func() ([]byte, error) // by media type
	v3 map[string]func() (hashed, error) // by group and version, as the path of its document ends
}

type hashed struct {
	body []byte
	hash string
}

// newOpenAPI prepares the documents of the kinds that are served.
func newOpenAPI(kinds []*kind.Kind, groups []kind.Group) openAPI {
	out := openAPI{v3: map[string]func() (hashed, error){}, v2: map[string]func() ([]byte, error){
		media.JSON:     sync.OnceValues(func() ([]byte, error) { return openapi.V2(kinds) }),
		mediaOpenAPIv2: sync.OnceValues(func() ([]byte, error) { return openapi.V2Protobuf(kinds) }),
	}}
	for _, g := range groups {
		for _, v := range g.Versions {
			out.v3[strings.TrimPrefix(v.Path(), "/")] = sync.OnceValues(func() (hashed, error) {
				body, err := openapi.V3(v.GroupVersion, kinds)
				sum := sha512.Sum512(body)
				return hashed{body, strings.ToUpper(hex.EncodeToString(sum[:]))}, err
			})
		}
	}
	return out
}

// openAPIv2 answers /openapi/v2: one document for all groups.
func (q *request) openAPIv2() error {
	if err := q.onlyGet(); err != nil {
		return err
	}
	accept := strings.ReplaceAll(strings.Join(q.r.Header["Accept"], ","), mediaOpenAPIv2Old, mediaOpenAPIv2)
	form := media.Preferred(accept, media.JSON, mediaOpenAPIv2)
	if form == "" {
		return status.NotAcceptable([]string{media.JSON, mediaOpenAPIv2})
	}
	body, err := q.serving.openapi.v2[form]()
	if err != nil {
		return err
	}
	return q.writeCached(form, body, headerNoCache[0])
}

// The Protobuf form of the Swagger 2.0 document, which kubectl asks for when it checks what it sends by itself: under the
// name that it is answered with, and under the one that clients ask by, which is no valid media type.
const (
	mediaOpenAPIv2    = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
	mediaOpenAPIv2Old = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
)

// openAPIv3Index answers /openapi/v3: where the document of each group and version is.
func (q *request) openAPIv3Index() error {
	if err := q.onlyGet(); err != nil {
		return err
	}
	type entry struct {
		ServerRelativeURL string `json:"serverRelativeURL"`
	}
	paths := map[string]entry{}
	for name, document := range q.serving.openapi.v3 {
		d, err := document()
		if err != nil {
			return err
		}
		paths[name] = entry{q.documentURL(name, d.hash)}
	}
	body, err := codec.EncodeOwn(map[string]any{"paths": paths})
	if err != nil {
		return err
	}
	return q.writeCached(media.JSON, body, headerNoCache[0])
}

// documentURL is where a document with this content is, below the prefix under which the client has found the API.
func (q *request) documentURL(name, hash string) string {
	return mountPrefix(q.r.RequestURI, q.r.URL) + "/openapi/v3/" + name + "?hash=" + url.QueryEscape(hash)
}

// openAPIv3 answers with the document of one group and version. A URL with the document's hash never changes its
// content; one with an old hash leads to the new one.
func (q *request) openAPIv3() error {
	if err := q.onlyGet(); err != nil {
		return err
	}
	if media.Preferred(strings.Join(q.r.Header["Accept"], ","), media.JSON) == "" {
		return status.NotAcceptable([]string{media.JSON})
	}
	path, _ := routePath(q.r.URL)
	name := strings.TrimPrefix(path, "/openapi/v3/")
	document, ok := q.serving.openapi.v3[name]
	if !ok {
		return status.ResourceNotFound()
	}
	d, err := document()
	if err != nil {
		return err
	}
	cacheControl := headerNoCache[0]
	switch asked := q.parameters().Get("hash"); {
	case asked == "":
	case asked != d.hash:
		q.w.Header().Set("Location", q.documentURL(name, d.hash))
		return q.writeRaw(http.StatusMovedPermanently, media.Text, nil)
	default:
		cacheControl = "public, immutable"
		q.w.Header().Set("Expires", q.api.options.Now().Add(365*24*time.Hour).UTC().Format(http.TimeFormat))
	}
	return q.writeCached(media.JSON, d.body, cacheControl)
}
