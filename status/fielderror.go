package status

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// FieldError is one fault of one member of an object. The constructors of this
// package make the faults that clients know.
type FieldError struct {
	// Type says what is wrong. It becomes the reason of a [Cause].
	Type CauseType
	// Field is the path of the member, as [Path.String] prints it.
	Field string
	// BadValue is the value at fault. The message shows it for the types that show a
	// value.
	BadValue any
	// Detail is the rest of the message, possibly empty.
	Detail string
}

// omitted is a BadValue that messages do not show.
type omitted struct{}

// RequiredField returns the error for a member that must be set.
func RequiredField(p *Path, detail string) *FieldError {
	return &FieldError{Type: CauseRequired, Field: p.String(), Detail: detail}
}

// InvalidField returns the error for a value that breaks a rule. detail states
// the rule.
func InvalidField(p *Path, value any, detail string) *FieldError {
	return &FieldError{Type: CauseInvalid, Field: p.String(), BadValue: value, Detail: detail}
}

// BrokenRuleField returns the error for a value that breaks a rule. detail states
// the rule. The message does not repeat the value, which may be large.
func BrokenRuleField(p *Path, detail string) *FieldError {
	return &FieldError{Type: CauseInvalid, Field: p.String(), BadValue: omitted{}, Detail: detail}
}

// TypeInvalidField returns the error for a value of the wrong JSON type.
func TypeInvalidField(p *Path, value any, detail string) *FieldError {
	return &FieldError{Type: CauseTypeInvalid, Field: p.String(), BadValue: value, Detail: detail}
}

// NotSupportedField returns the error for a value that is not allowed. The message
// lists the allowed values in the given order.
func NotSupportedField(p *Path, value any, allowed []string) *FieldError {
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

// ForbiddenField returns the error for a member that must not be set, either ever
// or in the present state.
func ForbiddenField(p *Path, detail string) *FieldError {
	return &FieldError{Type: CauseForbidden, Field: p.String(), Detail: detail}
}

// DuplicateField returns the error for a value that must be unique and is not.
func DuplicateField(p *Path, value any) *FieldError {
	return &FieldError{Type: CauseDuplicate, Field: p.String(), BadValue: value}
}

// NotFoundField returns the error for a reference to something that does not
// exist.
func NotFoundField(p *Path, value any) *FieldError {
	return &FieldError{Type: CauseNotFound, Field: p.String(), BadValue: value}
}

// TooLongField returns the error for a value of more than limit bytes. The
// message does not repeat the value, nor a negative limit.
func TooLongField(p *Path, value any, limit int) *FieldError {
	detail := "may not be more than " + counted(limit, "byte")
	if limit < 0 {
		detail = "value is too long"
	}
	return &FieldError{Type: CauseTooLong, Field: p.String(), BadValue: value, Detail: detail}
}

// TooLongCharactersField returns the error for a value of more than limit
// characters.
func TooLongCharactersField(p *Path, value any, limit int) *FieldError {
	return &FieldError{Type: CauseTooLong, Field: p.String(), BadValue: value,
		Detail: "may not be more than " + counted(limit, "character")}
}

// TooShortField returns the error for a value of fewer than limit characters. The
// message does not repeat it.
func TooShortField(p *Path, value any, limit int) *FieldError {
	return &FieldError{Type: CauseTooShort, Field: p.String(), BadValue: value,
		Detail: "must be at least " + counted(limit, "character")}
}

// TooManyField returns the error for a list or map of more than limit items. A
// negative actual means that the number of items is unknown. The message does not
// repeat a negative limit.
func TooManyField(p *Path, actual, limit int) *FieldError {
	detail := "must have at most " + counted(limit, "item")
	if limit < 0 {
		detail = "has too many items"
	}
	return &FieldError{Type: CauseTooMany, Field: p.String(), BadValue: count(actual), Detail: detail}
}

// TooFewField returns the error for a list or map of fewer than limit items. A
// negative actual means that the number of items is unknown.
func TooFewField(p *Path, actual, limit int) *FieldError {
	return &FieldError{Type: CauseTooFew, Field: p.String(), BadValue: count(actual),
		Detail: "must have at least " + counted(limit, "item")}
}

// InternalField returns the error for a fault of the server that occurred while
// it checked a member. The client sees the text of err.
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

// Error returns the path and the fault. It omits the path if the fault is in the
// object itself.
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
// everything else as JSON, and a pointer as the value it points to.
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

// FieldErrors are the faults of one object, as one error that lists all of them.
// [Invalid] turns them into the error that a client receives.
type FieldErrors []*FieldError

// Error returns a single message unchanged, or several as [first, second].
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

// distinct returns the errors without those whose message repeats an earlier one.
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
