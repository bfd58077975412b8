package write

import (
	"context"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
)

// decoded is the whole object that a client has sent, after the steps of a body. Package body has made a document of
// the bytes before. To decode means here to make an object of the document, by the kind and the URL.
type decoded struct {
	now      doc.Value
	warnings Warnings // about the body; they belong to every attempt
}

// decodeFirst takes the steps of the body before the store is asked, if the body alone says which object the client
// wants. Upstream decodes a body, and compares it with the URL, before it looks at the stored object. So a bad body is
// reported before a missing object or a conflict, and nothing is decoded again if another write commits first.
func (w *Write) decodeFirst(ctx context.Context) error {
	if w.body.IsAbsent() {
		return nil
	}
	w.attempt = attempt{draft: draft{defaulted: defaulted{now: w.body}}}
	w.Warnings.resetTo(Warnings{})
	err := w.take(ctx, w.writes.order.body, onWrite)
	w.decoded = decoded{w.draft.now, w.Warnings.copied()}
	return err
}

// decode takes the steps of the body on an object that the server has computed from the old one. Any other object has
// taken them before.
func (w *Write) decode(ctx context.Context) error {
	if !w.body.IsAbsent() {
		return nil
	}
	return w.take(ctx, w.writes.order.body, onWrite)
}

// identify refuses an object with another name or namespace than the URL. The step translate has compared the view of a
// subresource with its own kind.
func (w *Write) identify(context.Context) error {
	if w.ThroughOwnKind() {
		return nil
	}
	return w.checkNamed(w.draft.now)
}

// checkNamed refuses an object that the URL does not name. If the URL has no name, the object chooses its own.
func (w *Write) checkNamed(obj doc.Value) error {
	err := CheckNamespace(w.res, obj, w.Namespace)
	switch {
	case err != nil || !w.named:
		return err
	case objectmeta.NameOf(obj) == "":
		return NameUndeterminable(w.Name)
	}
	return CheckIdentity(w.res, obj, w.Namespace, w.Name)
}
