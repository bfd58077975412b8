package stream

import (
	"net/http"
	"strings"
)

// Below returns what follows the first segments of an escaped path: "", or a path that begins with a slash.
func Below(path string, segments int) string {
	for ; segments > 0; segments-- {
		next := strings.IndexByte(path[1:], '/')
		if next < 0 {
			return ""
		}
		path = path[1+next:]
	}
	return path
}

// SlashURL returns the URL to which a request to read a subresource itself is redirected: the same with a slash after
// its path, so that relative links of a page lead below the subresource. A prefix that the host has stripped from the
// path is in the URL. SlashURL returns "" for any other request.
func SlashURL(r *http.Request, below string) string {
	if below != "" || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return ""
	}
	path, query, _ := strings.Cut(r.RequestURI, "?")
	if query != "" {
		query = "?" + query
	}
	return path + "/" + query
}
