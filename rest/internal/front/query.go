package front

import (
	"net/url"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/words"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// integerParameter parses an integer parameter. It returns nil if the parameter is missing, and an error if it is
// empty.
func integerParameter(query url.Values, name string) (*int64, error) {
	if !query.Has(name) {
		return nil, nil
	}
	n, err := strconv.ParseInt(query.Get(name), 10, 64)
	if err != nil {
		return nil, status.BadRequest(words.NotAnInteger(query.Get(name), 64))
	}
	return &n, nil
}

// queryListOptions reads the options of a list or a watch from the query.
func queryListOptions(query url.Values) (o apimeta.ListOptions, err error) {
	o.LabelSelector, o.FieldSelector = query.Get("labelSelector"), query.Get("fieldSelector")
	o.ResourceVersion, o.Continue = query.Get("resourceVersion"), query.Get("continue")
	o.ResourceVersionMatch = apimeta.ResourceVersionMatch(query.Get("resourceVersionMatch"))
	if o.TimeoutSeconds, err = integerParameter(query, "timeoutSeconds"); err != nil {
		return o, err
	}
	limit, err := integerParameter(query, "limit")
	if err != nil {
		return o, err
	}
	if limit != nil {
		o.Limit = *limit
	}
	o.Watch = query.Has("watch") && route.ParseBool(query.Get("watch"))
	o.AllowWatchBookmarks = query.Has("allowWatchBookmarks") && route.ParseBool(query.Get("allowWatchBookmarks"))
	if query.Has("sendInitialEvents") {
		send := route.ParseBool(query.Get("sendInitialEvents"))
		o.SendInitialEvents = &send
	}
	return o, nil
}

// queryDeleteOptions reads the options of a deletion without a body from the query.
func queryDeleteOptions(query url.Values) (o apimeta.DeleteOptions, err error) {
	if query == nil {
		return o, nil
	}
	o.DryRun = query["dryRun"]
	if o.GracePeriodSeconds, err = integerParameter(query, "gracePeriodSeconds"); err != nil {
		return o, err
	}
	if query.Has("propagationPolicy") {
		policy := apimeta.DeletionPropagation(query.Get("propagationPolicy"))
		o.PropagationPolicy = &policy
	}
	o.Preconditions = queryPreconditions(query)
	if query.Has("orphanDependents") {
		orphan := route.ParseBool(query.Get("orphanDependents"))
		o.OrphanDependents = &orphan
	}
	if query.Has(write.FieldIgnoreReadError) {
		ignore := route.ParseBool(query.Get(write.FieldIgnoreReadError))
		o.IgnoreStoreReadErrorWithClusterBreakingPotential = &ignore
	}
	return o, nil
}

// queryPreconditions reads the preconditions of a deletion from the query.
func queryPreconditions(query url.Values) *apimeta.Preconditions {
	var p apimeta.Preconditions
	if uid := query.Get("uid"); uid != "" {
		p.UID = &uid
	}
	if rv := query.Get("resourceVersion"); rv != "" {
		p.ResourceVersion = &rv
	}
	if p == (apimeta.Preconditions{}) {
		return nil
	}
	return &p
}
