package audit

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/status"
)

// line is JSON that grows member by member. A member whose value is empty is left out.
type line []byte

// key begins a member of the object that the line ends with. The name needs no escapes.
func (l *line) key(name string) {
	l.separate()
	*l = append(append(append(*l, '"'), name...), '"', ':')
}

// anyKey is key for any name.
func (l *line) anyKey(name string) {
	l.separate()
	*l = append(codec.AppendString(*l, name), ':')
}

func (l *line) separate() {
	if (*l)[len(*l)-1] != '{' {
		*l = append(*l, ',')
	}
}

func (l *line) string(name, value string) {
	if value != "" {
		l.key(name)
		*l = codec.AppendString(*l, value)
	}
}

func (l *line) list(name string, values []string) {
	if len(values) > 0 {
		l.key(name)
		l.elements(values)
	}
}

func (l *line) elements(values []string) {
	*l = append(*l, '[')
	for i, v := range values {
		if i > 0 {
			*l = append(*l, ',')
		}
		*l = codec.AppendString(*l, v)
	}
	*l = append(*l, ']')
}

func (l *line) time(name string, at apimeta.MicroTime) error {
	l.key(name)
	if at.IsZero() {
		*l = append(*l, "null"...)
		return nil
	}
	*l = append(*l, '"')
	b, err := at.AppendText(*l)
	if err != nil {
		return err
	}
	*l = append(b, '"')
	return nil
}

func (l *line) object(name string, value json.RawMessage) error {
	if len(value) == 0 {
		return nil
	}
	if !json.Valid(value) {
		return errors.New("audit: the object in an event is not JSON")
	}
	l.key(name)
	*l = append(*l, value...)
	return nil
}

func (l *line) user(name string, u *User) {
	l.key(name)
	*l = append(*l, '{')
	l.string("username", u.Username)
	l.string("uid", u.UID)
	l.list("groups", u.Groups)
	if len(u.Extra) > 0 {
		l.key("extra")
		*l = append(*l, '{')
		for _, key := range slices.Sorted(maps.Keys(u.Extra)) {
			l.anyKey(key)
			l.elements(u.Extra[key])
		}
		*l = append(*l, '}')
	}
	*l = append(*l, '}')
}

func (l *line) reference(ref *ObjectReference) {
	l.key("objectRef")
	*l = append(*l, '{')
	l.string("resource", ref.Resource)
	l.string("namespace", ref.Namespace)
	l.string("name", ref.Name)
	l.string("uid", ref.UID)
	l.string("apiGroup", ref.APIGroup)
	l.string("apiVersion", ref.APIVersion)
	l.string("resourceVersion", ref.ResourceVersion)
	l.string("subresource", ref.Subresource)
	*l = append(*l, '}')
}

// status adds a Status. That of most answers has only a code.
func (l *line) status(s *status.Status) error {
	l.key("responseStatus")
	if *s == (status.Status{Code: s.Code}) && s.Code != 0 {
		*l = append(strconv.AppendInt(append(*l, `{"metadata":{},"code":`...), int64(s.Code), 10), '}')
		return nil
	}
	encoded, err := codec.EncodeOwn(s)
	*l = append(*l, encoded...)
	return err
}

// encode appends the event in JSON, as encoding/json would write it, except that it escapes less.
func (l *line) encode(e *Event) error {
	*l = append(*l, '{')
	l.string("kind", e.Kind)
	l.string("apiVersion", e.APIVersion)
	l.key("level")
	*l = codec.AppendString(*l, string(e.Level))
	l.key("auditID")
	*l = codec.AppendString(*l, e.AuditID)
	l.key("stage")
	*l = codec.AppendString(*l, string(e.Stage))
	l.key("requestURI")
	*l = codec.AppendString(*l, e.RequestURI)
	l.key("verb")
	*l = codec.AppendString(*l, e.Verb)
	l.user("user", &e.User)
	if e.ImpersonatedUser != nil {
		l.user("impersonatedUser", e.ImpersonatedUser)
	}
	l.list("sourceIPs", e.SourceIPs)
	l.string("userAgent", e.UserAgent)
	if e.ObjectRef != nil {
		l.reference(e.ObjectRef)
	}
	var errs [5]error
	if e.ResponseStatus != nil {
		errs[0] = l.status(e.ResponseStatus)
	}
	errs[1] = l.object("requestObject", e.RequestObject)
	errs[2] = l.object("responseObject", e.ResponseObject)
	errs[3] = l.time("requestReceivedTimestamp", e.RequestReceivedTimestamp)
	errs[4] = l.time("stageTimestamp", e.StageTimestamp)
	if len(e.Annotations) > 0 {
		l.key("annotations")
		*l = append(*l, '{')
		for _, key := range slices.Sorted(maps.Keys(e.Annotations)) {
			l.anyKey(key)
			*l = codec.AppendString(*l, e.Annotations[key])
		}
		*l = append(*l, '}')
	}
	*l = append(*l, '}')
	return errors.Join(errs[:]...)
}

// maxBuffer is the size of the largest buffer that a sink keeps for its next lines, in bytes.
const maxBuffer = 1 << 20

// encodeLines replaces the lines by those of the events in JSON.
func (l *line) encodeLines(events []*Event) error {
	if *l = (*l)[:0]; cap(*l) > maxBuffer {
		*l = nil
	}
	for _, e := range events {
		if err := l.encode(e); err != nil {
			return err
		}
		*l = append(*l, '\n')
	}
	return nil
}
