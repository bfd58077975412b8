package route

import (
	"net/url"
	"strings"
)

// Unescape unescapes a path segment once. ok is false if the escapes are malformed or the segment contains an escaped
// slash.
func Unescape(segment string) (plain string, ok bool) {
	plain, err := url.PathUnescape(segment)
	return plain, err == nil && !strings.Contains(plain, "/")
}

// Path returns the path under which to look up a route: the URL's path as it was sent, with each segment unescaped once
// and without a trailing slash. A segment with an escaped slash stays escaped, because unescaping it would shift the
// borders between segments. No name contains a slash, so ok is then false; only paths below a subresource may contain
// such segments.
func Path(u *url.URL) (path string, ok bool) {
	if path = u.Path; u.RawPath != "" || !isPlain(path) {
		path = u.EscapedPath()
	}
	if len(path) > 1 && path[len(path)-1] == '/' {
		path = path[:len(path)-1]
	}
	if path == "" {
		return "/", true
	}
	if path[0] != '/' {
		return "", false
	}
	if !strings.Contains(path, "%") {
		return path, true
	}
	ok = true
	segments := strings.Split(path[1:], "/")
	for i, s := range segments {
		plain, whole := Unescape(s)
		if !whole {
			ok = false
			continue
		}
		segments[i] = plain
	}
	return "/" + strings.Join(segments, "/"), ok
}

// unreserved marks the bytes that stand for themselves in every part of a path (RFC 3986, section 2.3), and the slash.
var unreserved = func() (is [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/") {
		is[c] = true
	}
	return is
}()

// isPlain reports whether a path equals its escaped form, as most do.
func isPlain(path string) bool {
	for i := range len(path) {
		if !unreserved[path[i]] {
			return false
		}
	}
	return true
}

// MountPrefix returns the path prefix under which the host mounts the API. http.StripPrefix has removed the prefix from
// u; the API adds it to every URL that it sends to clients.
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
