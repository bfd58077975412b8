package media

import (
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
)

// aggregatedForm are the parameters of the media types of the document that holds the discovery of all groups at once.
const aggregatedForm = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// AggregatedIn returns the representation of aggregated discovery that a header Accept names, with its media type. It
// returns nil if the header does not name one.
func AggregatedIn(accept []string) (rep *Representation, mediaType string) {
	for _, c := range parseAccept(strings.Join(accept, ",")) {
		if c.params["g"] != "apidiscovery.k8s.io" || c.params["v"] != "v2" || c.params["as"] != "APIGroupDiscoveryList" {
			continue
		}
		for _, media := range []string{JSON, YAML, Protobuf} {
			if c.matches(media) {
				return &Representation{Media: media, message: Described(codec.APIGroupDiscoveryListMessage())},
					media + aggregatedForm
			}
		}
	}
	return nil, ""
}
