package status

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// FieldError is one fault of one member of an object. The constructors below make
// the kinds of faults that clients know.
type FieldError struct {
	// Type says what is wrong. It becomes the reason of a [Cause].
	Type CauseType
	// Field is the path of the member, as [Path.String] prints it.
	Field string
	// BadValue is the value at fault, shown in the message for the types that
	// show one.
	BadValue any
	// Detail is the rest of the message, possibly empty.
	Detail string
}

// omitted is the BadValue that no message shows.
type omitted struct{}

// RequiredField is a member that must be set.
func RequiredField(p *Path, detail string) *FieldError {
	return &FieldError{Type: CauseRequired, Field: p.String(), Detail: detail}
}

// InvalidField is a value that breaks a rule, which detail states.
func InvalidField(p *Path, value any, detail string) *FieldError {
	return &FieldError{Type: CauseInvalid, Field: p.String(), BadValue: value, Detail: detail}
}

// BrokenRuleField is a value that breaks a rule, which detail states. The message
// does not repeat the value, which may be large.
func BrokenRuleField(p *Path, detail string) *FieldError {
	return &FieldError{Type: CauseInvalid, Field: p.String(), BadValue: omitted{}, Detail: detail}
}

// TypeInvalidField is a value of the wrong JSON type.
func TypeInvalidField(p *Path, value any, detail string) *FieldError {
	return &FieldError{Type: CauseTypeInvalid, Field: p.String(), BadValue: value, Detail: detail}
}

// UnsupportedValue is a value that is not among the allowed ones, which the
// message lists in the given order.
func UnsupportedValue(p *Path, value any, allowed []string) *FieldError {
	var detail []byte
	for i, a := range allowed {
		if i == 0 {
			detail = append(detail, "supported values: "...)
		} else {
			detail = append(detail, ", "...)
		}
		detail = strconv.AppendQuote(detail, a)
	}
	return &FieldError{Type: CauseNotSupported, Field: p.String(), BadValue: value, Detail: string(detail)}
}

// ForbiddenField is a member that must not be set, or not now.
func ForbiddenField(p *Path, detail string) *FieldError {
	return &FieldError{Type: CauseForbidden, Field: p.String(), Detail: detail}
}

// DuplicateField is a value that must be unique and is not.
func DuplicateField(p *Path, value any) *FieldError {
	return &FieldError{Type: CauseDuplicate, Field: p.String(), BadValue: value}
}

// NotFoundField is a reference to something that does not exist.
func NotFoundField(p *Path, value any) *FieldError {
	return &FieldError{Type: CauseNotFound, Field: p.String(), BadValue: value}
}

// TooLongField is a value of more than limit bytes. The message does not repeat
// it.
func TooLongField(p *Path, value any, limit int) *FieldError {
	return &FieldError{Type: CauseTooLong, Field: p.String(), BadValue: value, Detail: "may not be more than " + counted(limit, "byte")}
}

// TooLongCharactersField is a value of more than limit characters.
func TooLongCharactersField(p *Path, value any, limit int) *FieldError {
	return &FieldError{Type: CauseTooLong, Field: p.String(), BadValue: value, Detail: "may not be more than " + counted(limit, "character")}
}

// TooShortField is a value of fewer than limit characters. The message does not
// repeat it.
func TooShortField(p *Path, value any, limit int) *FieldError {
	return &FieldError{Type: CauseTooShort, Field: p.String(), BadValue: value, Detail: "must be at least " + counted(limit, "character")}
}

// TooManyField is a list or map of more than limit items. A negative actual is a
// number that is not known.
func TooManyField(p *Path, actual, limit int) *FieldError {
	return &FieldError{Type: CauseTooMany, Field: p.String(), BadValue: count(actual), Detail: "must have at most " + counted(limit, "item")}
}

// TooFewField is a list or map of fewer than limit items. A negative actual is a
// number that is not known.
func TooFewField(p *Path, actual, limit int) *FieldError {
	return &FieldError{Type: CauseTooFew, Field: p.String(), BadValue: count(actual), Detail: "must have at least " + counted(limit, "item")}
}

// InternalField is a fault of the server met while checking a member. The client
// sees the text of err.
func InternalField(p *Path, err error) *FieldError {
	return &FieldError{Type: CauseInternalError, Field: p.String(), Detail: fmt.Sprint(err)}
}

func count(actual int) any {
	if actual < 0 {
		return omitted{}
	}
	return actual
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Error returns the path and what is wrong there. A fault of the object itself
// has no path.
func (e *FieldError) Error() string {
	if e.Field == "" {
		return e.body()
	}
	return e.Field + ": " + e.body()
}

// body returns the message without the path.
func (e *FieldError) body() string {
	s := e.title()
	switch e.Type {
	case CauseRequired, CauseForbidden, CauseTooLong, CauseTooShort, CauseInternalError:
	default:
		if _, hidden := e.BadValue.(omitted); !hidden {
			s += ": " + show(e.BadValue)
		}
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

func (e *FieldError) title() string {
	switch e.Type {
	case CauseNotFound:
		return "Not found"
	case CauseRequired:
		return "Required value"
	case CauseDuplicate:
		return "Duplicate value"
	case CauseInvalid, CauseTypeInvalid:
		return "Invalid value"
	case CauseNotSupported:
		return "Unsupported value"
	case CauseForbidden:
		return "Forbidden"
	case CauseTooLong:
		return "Too long"
	case CauseTooShort:
		return "Too short"
	case CauseTooMany:
		return "Too many"
	case CauseTooFew:
		return "Too few"
	case CauseInternalError:
		return "Internal error"
	}
	return string(e.Type)
}

// show renders a value for a message: strings quoted, numbers and bools bare,
// everything else as JSON, and a pointer as what it points to.
func show(value any) string {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Pointer && !v.IsNil() {
		value = v.Elem().Interface()
	}
	switch v := value.(type) {
	case string:
		return strconv.Quote(v)
	case bool, int32, int64, float32, float64:
		return fmt.Sprint(v)
	}
	if data, err := json.Marshal(value); err == nil {
		return string(data)
	}
	return fmt.Sprintf("%+v", value)
}

// FieldErrors are the faults of one object. They are an error that lists all of
// them; [Invalid] makes the error that a client gets.
type FieldErrors []*FieldError

// Error returns the one message as it is, or several as [first, second].
func (errs FieldErrors) Error() string {
	if len(errs) == 1 {
		return errs[0].Error()
	}
	messages := make([]string, len(errs))
	for i, e := range errs {
		messages[i] = e.Error()
	}
	return "[" + strings.Join(messages, ", ") + "]"
}

// distinct returns the errors without those that read the same as an earlier one.
func (errs FieldErrors) distinct() FieldErrors {
	if len(errs) < 2 {
		return errs
	}
	seen := make(map[string]bool, len(errs))
	kept := make(FieldErrors, 0, len(errs))
	for _, e := range errs {
		if message := e.Error(); !seen[message] {
			seen[message] = true
			kept = append(kept, e)
		}
	}
	return kept
}
