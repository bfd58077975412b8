package resource

import (
	"context"
	"math"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Page is a list as the protocol has it: records, the revision they are of, where they were found, and how to get the rest.
type Page struct {
	storage.Page
	Selected  Selection
	Token     string
	Remaining *int64
}

func (p Page) Meta() apimeta.ListMeta {
	return apimeta.ListMeta{ResourceVersion: strconv.FormatUint(uint64(p.Revision), 10), Continue: p.Token, RemainingItemCount: p.Remaining}
}

// List reads one page of a list (API concepts, Retrieving large results sets in chunks; Resource versions).
func (res *Resource) List(ctx context.Context, namespace string, p ListParameters, into []*storage.Record) (Page, error) {
	selected, nothing := res.Select(namespace, p)
	options := storage.ListOptions{Scope: selected.Scope, Terms: selected.Terms, Match: selected.Match, Limit: int(min(max(p.Limit, 0), math.MaxInt32))}
	fromToken := false
	if p.Continue != "" {
		at, after, err := res.decodeContinue(p.Continue, namespace)
		if err != nil {
			return Page{}, err
		}
		if p.ResourceVersion != "" && p.ResourceVersion != "0" {
			return Page{}, status.BadRequest("specifying resource version is not allowed when using continue")
		}
		options.After = after
		if p.ResourceVersion == "0" {
			options.Limit = 0
		}
		if at != currentRevision {
			options.Revision, options.Exact, fromToken = watch.Revision(at), true, true
		}
	} else {
		revision, err := ReadRevision(p.ResourceVersion)
		if err != nil {
			return Page{}, err
		}
		options.Revision = revision
		switch {
		case p.ResourceVersion == "0":
			options.Limit = 0 // any state will do, and it comes whole
		case p.ResourceVersionMatch == apimeta.MatchExact, p.ResourceVersionMatch == "" && revision > 0 && p.Limit > 0:
			options.Exact = true
		}
	}
	if nothing {
		options.Match = func(*storage.Record) bool { return false }
	}
	found, err := res.Store.List(ctx, options, into)
	if err != nil {
		if fromToken && status.IsExpired(err) {
			return Page{}, status.ResourceExpiredContinue(encodeContinue(namespace, currentRevision, options.After))
		}
		return Page{}, err
	}
	out := Page{Page: found, Selected: selected}
	if found.More && len(found.Records) > 0 {
		out.Token = encodeContinue(namespace, int64(found.Revision), found.Records[len(found.Records)-1].Key)
		if selected.Match == nil && found.Remaining >= 0 {
			out.Remaining = &found.Remaining
		}
	}
	return out, nil
}
