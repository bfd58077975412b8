package media

import (
	"mime"
	"strings"
)

// Aggregated is the media type of the document that holds the discovery of all groups at once.
const Aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// AcceptsAggregated reports whether a header Accept names [Aggregated].
func AcceptsAggregated(accept []string) bool {
	for _, part := range strings.Split(strings.Join(accept, ","), ",") {
		name, p, err := mime.ParseMediaType(part)
		if err == nil && name == JSON && p["g"] == "apidiscovery.k8s.io" && p["v"] == "v2" &&
			p["as"] == "APIGroupDiscoveryList" {
			return true
		}
	}
	return false
}
