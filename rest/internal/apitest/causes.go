package apitest

// Required is the cause that a field is missing.
func Required(field, message string) Cause { return Cause{"FieldValueRequired", field, message} }

// Invalid is the cause that a value is invalid.
func Invalid(field, message string) Cause { return Cause{"FieldValueInvalid", field, message} }

// NotSupported is the cause that a value is not one of those allowed.
func NotSupported(field, message string) Cause {
	return Cause{"FieldValueNotSupported", field, message}
}

// TooLong is the cause that a text has too many characters.
func TooLong(field, message string) Cause { return Cause{"FieldValueTooLong", field, message} }

// TooMany is the cause that a list has too many items.
func TooMany(field, message string) Cause { return Cause{"FieldValueTooMany", field, message} }

// Duplicate is the cause that a value occurs twice.
func Duplicate(field, message string) Cause { return Cause{"FieldValueDuplicate", field, message} }

// TypeInvalid is the cause that a value has the wrong type.
func TypeInvalid(field, message string) Cause { return Cause{"FieldValueTypeInvalid", field, message} }

// Forbidden is the cause that a field must not be set.
func Forbidden(field, message string) Cause { return Cause{"FieldValueForbidden", field, message} }

const (
	SubdomainText = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character " +
		`(e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`
	NamePartText = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
		"(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
	LabelValueText = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
		"(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
