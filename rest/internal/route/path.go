package route

import (
	"net/url"
	"strings"
)

// Unescape unescapes a path segment once. ok is false if the escapes are malformed or the segment contains an escaped slash.
func Unescape(segment string) (plain string, ok bool) {
	plain, err := url.PathUnescape(segment)
	return plain, err == nil && !strings.Contains(plain, "/")
}

// MountPrefix returns the path prefix under which the host mounts the API. http.StripPrefix has removed the prefix from u; the
// API adds it to every URL that it sends to clients.
func MountPrefix(requestURI string, u *url.URL) string {
	path, _, _ := strings.Cut(requestURI, "?")
	if i := strings.Index(path, "://"); i >= 0 { // the absolute form, which clients send to proxies
		path = path[i+3:]
		if i = strings.IndexByte(path, '/'); i < 0 {
			return ""
		}
		path = path[i:]
	}
	prefix, found := strings.CutSuffix(path, u.EscapedPath())
	if !found {
		return ""
	}
	return strings.TrimSuffix(prefix, "/")
}
