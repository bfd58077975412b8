package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// Options configure a console. The zero value shows an API that is mounted at "/".
type Options struct {
	// API is the path of the API's mount on the origin of the page, such as "/platform". The page sends its requests there
	// and nowhere else. Default: "/".
	API string
	// Issuer lets users sign in with OpenID Connect. Optional: without it, they sign in with a token, or as the host
	// decides.
	Issuer *Issuer
}

//go:embed static
var static embed.FS

// policy makes browsers refuse scripts, styles and connections of other origins, inline scripts and styles, and frames
// around the page. Injected markup can neither move the base of the page's addresses nor send a form elsewhere. With an
// issuer, connections to its origins are the one exception.
const policy = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// contentTypes are the types of the page's files. Those that an operating system configures may differ.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
}

// file is one file of the page.
type file struct {
	contentType   string
	etag          string
	plain, zipped []byte
}

type handler struct {
	policy string
	files  map[string]file
}

// New returns a handler that serves the page for every path that ends in a slash, and its files beside it. It works
// with and without http.StripPrefix. It answers GET and HEAD only, and any other path with 404.
func New(options Options) http.Handler {
	files, err := fs.ReadDir(static, "static")
	if err != nil {
		panic(err) // the files are part of the program
	}
	h := handler{policy: policy, files: map[string]file{}}
	if options.Issuer != nil {
		h.policy += "; connect-src 'self' " + strings.Join(options.Issuer.origins, " ")
	}
	for _, entry := range files {
		content, err := static.ReadFile("static/" + entry.Name())
		if err != nil {
			panic(err)
		}
		if entry.Name() == "index.html" {
			h.files[""] = newFile("page.html", withIssuer(withAPI(content, options.API), options.Issuer))
			continue
		}
		h.files[entry.Name()] = newFile(entry.Name(), content)
	}
	return h
}

// withAPI writes the path of the API into the page. A path never begins with two slashes, which would name another
// host.
func withAPI(page []byte, api string) []byte {
	mount := strings.TrimSuffix(path.Clean("/"+strings.ReplaceAll(api, `\`, "/")), "/")
	return bytes.Replace(page, []byte(`name="decorum-api" content=""`),
		[]byte(`name="decorum-api" content="`+html.EscapeString(mount)+`"`), 1)
}

func newFile(name string, content []byte) file {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write(content) // a buffer accepts everything
	_ = w.Close()
	sum := sha256.Sum256(content)
	return file{contentType: contentTypes[path.Ext(name)], etag: hex.EncodeToString(sum[:8]), plain: content,
		zipped: zipped.Bytes()}
}

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", h.policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	f, ok := h.files[r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
		return
	}
	// The files of a new version have the same names, so a browser asks each time whether its copy is still right.
	header.Set("Cache-Control", "no-cache")
	header.Set("Content-Type", f.contentType)
	header.Set("Vary", "Accept-Encoding")
	content, etag := f.plain, f.etag
	if acceptsGzip(r.Header.Values("Accept-Encoding")) {
		content, etag = f.zipped, f.etag+"-gzip"
		header.Set("Content-Encoding", "gzip")
		header.Set("Content-Length", strconv.Itoa(len(content)))
	}
	header.Set("ETag", `"`+etag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// acceptsGzip reports whether a client accepts gzip, as browsers do. A client with a preference below that gets the
// plain file.
func acceptsGzip(values []string) bool {
	for _, value := range values {
		for coding := range strings.SplitSeq(value, ",") {
			if strings.TrimSpace(coding) == "gzip" {
				return true
			}
		}
	}
	return false
}
