package rest

import (
	"net/url"
	"strings"
)

// routePath returns the path to look a route up with: the URL's path as it was sent, each segment unescaped once. An
// escaped slash would move the borders between the segments, and no name has a slash: such a segment stays as it is, and
// the path is not ok but for what stands below a subresource. A trailing slash does not count.
func routePath(u *url.URL) (path string, ok bool) {
	path = u.EscapedPath()
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
		plain, err := url.PathUnescape(s)
		if err != nil || strings.Contains(plain, "/") {
			ok = false
			continue
		}
		segments[i] = plain
	}
	return "/" + strings.Join(segments, "/"), ok
}

// mountPrefix is the path under which the host has mounted the API: what [http.StripPrefix] has taken away. It stands
// before every URL that the API itself gives to clients.
func mountPrefix(requestURI string, u *url.URL) string {
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
