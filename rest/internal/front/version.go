package front

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/decorum-go/decorum/rest/internal/media"
)

// version answers /version. The document exists only as JSON, so a client that does not accept JSON is refused.
func (q *request) version() error {
	if err := q.onlyGet(); err != nil {
		return err
	}
	if accept := q.r.Header["Accept"]; len(accept) > 0 && accept[0] != "" &&
		media.Preferred(strings.Join(accept, ","), media.JSON) == "" {
		return media.NotRouted(media.JSON)
	}
	body, err := json.MarshalIndent(q.api.options.Version, "", "  ")
	if err != nil {
		return err
	}
	return q.writeRaw(http.StatusOK, media.JSON, body, nil)
}
