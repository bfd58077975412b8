package cel

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// semverFunctions returns semver, isSemver and the functions of versions.
func semverFunctions() []cel.EnvOption {
	versions := &opaqueType[semver]{Type: cel.ObjectType(semverTypeName),
		equal: func(a, b semver) bool { return a.compare(b) == 0 }}
	text, lenient := []*cel.Type{cel.StringType}, []*cel.Type{cel.StringType, cel.BoolType}
	one := []*cel.Type{versions.Type}
	part := func(i int) cel.OverloadOpt {
		return unary(func(v semver) ref.Val { return types.Int(v.numbers[i]) })
	}
	return append(comparisons("semver", versions.Type, semver.compare),
		cel.Function("semver",
			cel.Overload("string_to_semver", text, versions.Type, parsed(parseSemver, versions.wrap)),
			cel.Overload("string_bool_to_semver", lenient, versions.Type, binary(func(text string, normalize bool) ref.Val {
				v, err := parseAnySemver(text, normalize)
				if err != nil {
					return types.WrapErr(err)
				}
				return versions.wrap(v)
			}))),
		cel.Function("isSemver",
			cel.Overload("is_semver_string", text, cel.BoolType, readable(parseSemver)),
			cel.Overload("is_semver_string_bool", lenient, cel.BoolType, binary(func(text string, normalize bool) ref.Val {
				_, err := parseAnySemver(text, normalize)
				return types.Bool(err == nil)
			}))),
		cel.Function("major", cel.MemberOverload("semver_major", one, cel.IntType, part(0))),
		cel.Function("minor", cel.MemberOverload("semver_minor", one, cel.IntType, part(1))),
		cel.Function("patch", cel.MemberOverload("semver_patch", one, cel.IntType, part(2))),
	)
}

// semver is a semantic version, without its build metadata.
type semver struct {
	numbers    [3]uint64
	prerelease []prerelease
}

// prerelease is a number, or a text.
type prerelease struct {
	number uint64
	text   string
}

func parseSemver(text string) (semver, error) {
	var v semver
	if text == "" {
		return v, errors.New("Version string empty")
	}
	parts := strings.SplitN(text, ".", 3)
	if len(parts) != 3 {
		return v, errors.New("No Major.Minor.Patch elements found")
	}
	rest, build, hasBuild := strings.Cut(parts[2], "+")
	rest, pre, hasPre := strings.Cut(rest, "-")
	parts[2] = rest
	for i, name := range [...]string{"Major", "Minor", "Patch"} {
		if !isOf(parts[i], isDigit) {
			return v, fmt.Errorf("Invalid character(s) found in %s number %q", strings.ToLower(name), parts[i])
		}
		if hasLeadingZero(parts[i]) {
			return v, fmt.Errorf("%s number must not contain leading zeroes %q", name, parts[i])
		}
		n, err := strconv.ParseUint(parts[i], 10, 64)
		if err != nil {
			return v, err
		}
		v.numbers[i] = n
	}
	if hasPre {
		for text := range strings.SplitSeq(pre, ".") {
			p, err := parsePrerelease(text)
			if err != nil {
				return v, err
			}
			v.prerelease = append(v.prerelease, p)
		}
	}
	if hasBuild {
		for text := range strings.SplitSeq(build, ".") {
			if text == "" {
				return v, errors.New("Build meta data is empty")
			}
			if !isOf(text, isWordByte) {
				return v, fmt.Errorf("Invalid character(s) found in build meta data %q", text)
			}
		}
	}
	return v, nil
}

func parsePrerelease(text string) (prerelease, error) {
	switch {
	case text == "":
		return prerelease{}, errors.New("Prerelease is empty")
	case !isOf(text, isWordByte):
		return prerelease{}, fmt.Errorf("Invalid character(s) found in prerelease %q", text)
	case !isOf(text, isDigit):
		return prerelease{text: text}, nil
	case hasLeadingZero(text):
		return prerelease{}, fmt.Errorf("Numeric PreRelease version must not contain leading zeroes %q", text)
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return prerelease{number: n}, err
}

// parseAnySemver reads a version. If normalize is set, it also accepts a leading v, leading zeros and fewer than three
// numbers.
func parseAnySemver(text string, normalize bool) (semver, error) {
	if !normalize {
		return parseSemver(text)
	}
	parts := strings.SplitN(strings.TrimPrefix(text, "v"), ".", 3)
	for i, p := range parts {
		if len(p) < 2 {
			continue
		}
		p = strings.TrimLeft(p, "0")
		if p == "" || !isDigit(p[0]) {
			p = "0" + p
		}
		parts[i] = p
	}
	if len(parts) < 3 && strings.ContainsAny(parts[len(parts)-1], "+-") {
		return semver{}, errors.New("short version cannot contain PreRelease/Build meta data")
	}
	for len(parts) < 3 {
		parts = append(parts, "0")
	}
	return parseSemver(strings.Join(parts, "."))
}

func isOf(text string, is func(byte) bool) bool {
	for i := range len(text) {
		if !is(text[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlphanumeric(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isWordByte(c byte) bool { return isAlphanumeric(c) || c == '-' }

func hasLeadingZero(number string) bool { return len(number) > 1 && number[0] == '0' }

// compare returns the order of two versions. A version with a prerelease precedes the same version without.
func (v semver) compare(other semver) int {
	for i, n := range v.numbers {
		if c := cmp.Compare(n, other.numbers[i]); c != 0 {
			return c
		}
	}
	if len(v.prerelease) == 0 || len(other.prerelease) == 0 {
		return cmp.Compare(len(other.prerelease), len(v.prerelease))
	}
	for i, p := range v.prerelease {
		if i == len(other.prerelease) {
			return 1
		}
		if c := p.compare(other.prerelease[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(v.prerelease), len(other.prerelease))
}

// compare puts numbers before texts.
func (p prerelease) compare(other prerelease) int {
	if c := cmp.Compare(p.text, other.text); c != 0 {
		return c
	}
	return cmp.Compare(p.number, other.number)
}
