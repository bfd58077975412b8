package words

// NotOfType returns Go's message for a JSON value that does not fit a Go type. value is its kind, and for a number
// perhaps the number, such as "number 1.5".
func NotOfType(value, goType string) string { return unfit(value, "Go value of type "+goType) }

// NotOfField returns Go's message for a JSON value that does not fit the type of a field. The path leads from the
// struct with this name to the field.
func NotOfField(value, ofStruct, path, goType string) string {
	return unfit(value, "Go struct field "+ofStruct+"."+path+" of type "+goType)
}

func unfit(value, place string) string { return "json: cannot unmarshal " + value + " into " + place }
