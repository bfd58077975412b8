package route

import (
	"net/url"
	"strings"
)

// Unescape unescapes a segment once. It refuses a segment that cannot be unescaped, or that contains an escaped slash.
func Unescape(segment string) (plain string, ok bool) {
	plain, err := url.PathUnescape(segment)
	return plain, err == nil && !strings.Contains(plain, "/")
}

// MountPrefix returns the path under which the host has mounted the API, which http.StripPrefix has removed from u. The API puts
// it in front of every URL that it gives to clients.
func MountPrefix(requestURI string, u *url.URL) string {
	path, _, _ := strings.Cut(requestURI, "?")
	if i := strings.Index(path, "://"); i >= 0 { // the absolute form, as proxies send it
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
