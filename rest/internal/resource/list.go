package resource

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/gotype"
	"github.com/decorum-go/decorum/internal/words"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Page is one page of a list: its records and their revision, what was selected, and the token for the next page.
type Page struct {
	storage.Listing
	Selected  Selection
	Token     string
	Remaining *int64
	// Shard is the selector of the shard that the list contains, or empty for all objects.
	Shard string
	// Known says that the page would be the same as the one that the caller knows. It then has no records.
	Known bool
}

// recordBuffers lends buffers for the records of lists, so that a long list does not allocate one each time.
var recordBuffers = sync.Pool{New: func() any { b := make([]*storage.Record, 0, 512); return &b }}

// BorrowRecords returns an empty buffer for the records of a list. The caller must give it back with ReturnRecords.
func BorrowRecords() *[]*storage.Record { return recordBuffers.Get().(*[]*storage.Record) }

// ReturnRecords takes a borrowed buffer back. It clears the buffer, so that the pool keeps no record in memory.
func ReturnRecords(records *[]*storage.Record) {
	clear(*records)
	*records = (*records)[:0]
	recordBuffers.Put(records)
}

// List reads one page of a list (API concepts, Retrieving large results sets in chunks; Resource versions). It uses the
// buffer into if that is large enough.
func (res *Resource) List(
	ctx context.Context, namespace string, p ListParameters, into []*storage.Record,
) (page Page, err error) {
	err = res.OnServed(ctx, func(served *Resource) (err error) {
		if served != res {
			err = cmp.Or(served.CheckFieldSelector(p.Fields), served.CheckQuery(p.Query))
			p.Known = 0
		}
		if err == nil {
			page, err = served.list(ctx, namespace, p, into)
		}
		return err
	})
	return page, err
}

// list is List under one declaration of the resource.
func (res *Resource) list(ctx context.Context, namespace string, p ListParameters,
	into []*storage.Record) (Page, error) {
	selected := res.Select(namespace, p)
	options := selected.Query()
	options.Limit = int(min(max(p.Limit, 0), math.MaxInt32))
	fromToken := false
	if p.Continue != "" {
		t, after, err := res.decodeContinue(p, namespace)
		if err != nil {
			return Page{}, err
		}
		if p.ResourceVersion != "" && p.ResourceVersion != "0" {
			return Page{}, status.BadRequest("specifying resource version is not allowed when using continue")
		}
		options.After, options.AfterValues = after, t.Values
		if p.ResourceVersion == "0" {
			options.Limit = 0
		}
		if t.Revision != currentRevision {
			options.Revision, options.Exact, fromToken = watch.Revision(t.Revision), true, true
		}
		if t.Long {
			if options.AfterValues, err = res.valuesAt(ctx, selected, options); err != nil {
				return Page{}, err
			}
		}
	} else {
		revision, err := ReadRevision(p.ResourceVersion)
		if err != nil {
			return Page{}, err
		}
		options.Revision = revision
		switch {
		case p.ResourceVersion == "0":
			options.Limit = 0 // any revision will do, and upstream ignores the limit
		case p.ResourceVersionMatch == apimeta.MatchExact, p.ResourceVersionMatch == "" && revision > 0 && p.Limit > 0:
			options.Exact = true
		}
	}
	options.Known = p.Known
	if err := selected.ConvertAhead(ctx, res.Store, options); err != nil {
		return Page{}, err
	}
	found, err := res.Store.List(ctx, options, into)
	if err != nil {
		if fromToken && status.IsExpired(err) {
			if areLong(options.AfterValues) {
				return Page{}, longValuesExpired()
			}
			return Page{}, status.ResourceExpiredContinue(p.encodeContinue(namespace, currentRevision, options.After,
				options.AfterValues))
		}
		return Page{}, res.StoreError(err, "")
	}
	out := Page{Listing: found, Selected: selected, Shard: p.Shard.String(),
		Known: p.Known != 0 && found.Changed == p.Known}
	if found.More && len(found.Records) > 0 {
		last := found.Records[len(found.Records)-1]
		out.Token = p.encodeContinue(namespace, int64(found.Revision), last.Key, valuesIn(options.Order, last))
		if selected.Match == nil && found.Remaining >= 0 {
			out.Remaining = &found.Remaining
		}
	}
	return out, nil
}

// continueToken says where the next page begins: at which revision and after which object. It is opaque to clients.
// Start is a key relative to the namespace of the list, so a forged token reaches nothing outside of it.
type continueToken struct {
	Version  string `json:"v"`
	Revision int64  `json:"rv"` // currentRevision means the latest
	Start    string `json:"start"`
	// Only is the fingerprint of the restriction under which the client reads the list.
	Only string `json:"only,omitempty"`
	// Order is the parameter sortBy of the list, and Values are those of the last object in this order.
	Order  string   `json:"order,omitempty"`
	Values []string `json:"values,omitempty"`
	// Long says that the values are too long for a token, so the server reads them from the object at the revision.
	Long bool `json:"long,omitempty"`
}

const (
	// maxTokenValues is how many bytes the JSON of the values of a token may take. Proxies and browsers refuse URLs of a
	// few KB.
	maxTokenValues = 1 << 10
	// maxTokenOrder is how many bytes of the parameter sortBy a token shows. It has only a digest of a longer one.
	maxTokenOrder = 256
)

// areLong reports whether values are too long for a token.
func areLong(values []string) bool {
	size := 0
	for _, value := range values {
		if size += len(value); size > maxTokenValues {
			return true
		}
	}
	text, _ := json.Marshal(values) // strings always encode
	return len(text) > maxTokenValues
}

// orderInToken returns the parameter sortBy as a token has it.
func orderInToken(sortBy string) string {
	if len(sortBy) <= maxTokenOrder {
		return sortBy
	}
	sum := sha256.Sum256([]byte(sortBy))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// longValuesExpired returns the error of a list whose revision is gone, and with it the values after which the next
// page begins.
func longValuesExpired() error {
	return status.Expired("The provided continue parameter is too old to display a consistent list result, " +
		"and the list is sorted by values that are too long to continue in the present state. " +
		"You can start a new list without the continue parameter.")
}

// valuesAt returns the values of the object after which a page begins, at the revision of its list. An object that does
// not belong to the list is no beginning, so a forged token reveals nothing about it. If the object cannot be
// converted, the error is for the client: without its values, the list would seem to end.
func (res *Resource) valuesAt(ctx context.Context, s Selection, q storage.Query) ([]string, error) {
	order := q.Order
	q.Within.Namespace, q.Within.Name = q.After.Namespace, q.After.Name
	q.Order, q.After, q.Limit, q.Known = nil, storage.Key{}, 0, 0
	if err := s.ConvertAhead(ctx, res.Store, q); err != nil {
		return nil, err
	}
	found, err := res.Store.List(ctx, q, nil)
	switch {
	case status.IsExpired(err):
		return nil, longValuesExpired()
	case err != nil:
		return nil, res.StoreError(err, "")
	case len(found.Records) == 0:
		return nil, status.BadRequest("invalid continue token: continue key is not valid: it names no object of the list")
	}
	if err := res.ShowAhead(ctx, found.Records); err != nil {
		return nil, err
	}
	return valuesIn(order, found.Records[0]), nil
}

const (
	tokenVersion    = "meta.k8s.io/v1"
	currentRevision = -1
)

// startEnd follows the last name of a page. Together they are the smallest key after that name.
const startEnd = "\x00"

// encodeContinue returns the token of the page after last, whose values are those in the order of the list.
func (p *ListParameters) encodeContinue(namespace string, revision int64, last storage.Key, values []string) string {
	start := last.Name
	if namespace == "" && last.Namespace != "" {
		start = last.Namespace + "/" + last.Name
	}
	t := continueToken{Version: tokenVersion, Revision: revision, Start: start + startEnd, Only: p.Only.Fingerprint()}
	if t.Long = areLong(values); !t.Long {
		t.Values = values
	}
	if p.Query != nil {
		t.Order = orderInToken(p.Query.Text.SortBy)
	}
	data, _ := json.Marshal(t) // a struct of numbers and strings always encodes
	return base64.RawURLEncoding.EncodeToString(data)
}

// decodeContinue returns a token, and the key after which the next page begins. If the client is not
// restricted as on the first page, the pages would not be of one list, so the error is Expired.
func (res *Resource) decodeContinue(p ListParameters,
	namespace string) (t continueToken, after storage.Key, err error) {
	invalid := func(reason any) (continueToken, storage.Key, error) {
		return t, storage.Key{}, status.BadRequest(fmt.Sprintf("invalid continue token: continue key is not valid: %v",
			reason))
	}
	data, err := base64.RawURLEncoding.DecodeString(p.Continue)
	if err != nil {
		return invalid(words.NotRawBase64URL(p.Continue))
	}
	if t, err = readToken(data); err != nil {
		return invalid(err)
	}
	switch {
	case t.Version != tokenVersion:
		return invalid("server does not recognize this encoded version " + t.Version)
	case t.Revision == 0 || t.Revision < currentRevision:
		return invalid("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	case t.Start == "":
		return invalid("encoded start key empty (version meta.k8s.io/v1)")
	}
	start, after := lastBefore(t.Start), res.Key(namespace, "")
	after.Name = start
	if res.Kind.Namespaced && namespace == "" {
		var ok bool
		if after.Namespace, after.Name, ok = strings.Cut(start, "/"); !ok {
			return invalid("encoded start key does not belong to this server")
		}
	}
	if after.Name == "" || strings.ContainsAny(after.Name, "/\x00") {
		return invalid("encoded start key does not belong to this server")
	}
	if t.Only != p.Only.Fingerprint() {
		return t, storage.Key{}, status.Expired("the rights of the user have changed since the first page; " +
			"start a new list without the continue parameter")
	}
	sortBy, fields := "", 0
	if p.Query != nil {
		sortBy, fields = orderInToken(p.Query.Text.SortBy), len(p.Query.Order)
	}
	if t.Long && fields > 0 && len(t.Values) == 0 && t.Revision != currentRevision {
		fields = 0
	}
	if t.Order != sortBy || len(t.Values) != fields || t.Long && fields > 0 {
		return invalid(fmt.Sprintf("it belongs to a list that is sorted by %q", t.Order))
	}
	return t, after, nil
}

// readToken decodes a token. Its errors are in the words that clients know from upstream.
func readToken(data []byte) (t continueToken, err error) {
	v, _, err := codec.DecodeJSON(data)
	switch {
	case err != nil:
		return t, err
	case v.Kind() != doc.Map && !v.IsNull():
		return t, errors.New(words.NotOfType(v.JSONName(), "storage.continueToken"))
	}
	if err := gotype.DecodingError(data, reflect.TypeFor[continueToken]()); err != nil {
		return t, err
	}
	return t, json.Unmarshal(data, &t)
}

// lastBefore returns the last name that comes before start, the beginning of the next page.
func lastBefore(start string) string {
	if last, ok := strings.CutSuffix(start, startEnd); ok {
		return last
	}
	end := len(start) - 1
	return start[:end] + string([]byte{start[end] - 1, 0xff}) // no name contains the byte 0xff
}
