package cel

import (
	"regexp"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// regexFunctions are find and findAll.
func regexFunctions() []cel.EnvOption {
	texts := []*cel.Type{cel.StringType, cel.StringType}
	list := cel.ListType(cel.StringType)
	return []cel.EnvOption{
		cel.Function("find", cel.MemberOverload("string_find_string", texts, cel.StringType, cel.BinaryBinding(func(text, pattern ref.Val) ref.Val {
			return match(text, pattern, func(r *regexp.Regexp, s string) ref.Val { return types.String(r.FindString(s)) })
		}))),
		cel.Function("findAll",
			cel.MemberOverload("string_find_all_string", texts, list, cel.BinaryBinding(func(text, pattern ref.Val) ref.Val {
				return findAll(text, pattern, types.Int(-1))
			})),
			cel.MemberOverload("string_find_all_string_int", append(texts[:2:2], cel.IntType), list, cel.FunctionBinding(func(args ...ref.Val) ref.Val {
				return findAll(args[0], args[1], args[2])
			}))),
	}
}

func match(text, pattern ref.Val, use func(*regexp.Regexp, string) ref.Val) ref.Val {
	s, ok := text.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(text)
	}
	p, ok := pattern.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(pattern)
	}
	r, err := regexp.Compile(string(p))
	if err != nil {
		return types.NewErr("Illegal regex: %v", err)
	}
	return use(r, string(s))
}

func findAll(text, pattern, limit ref.Val) ref.Val {
	n, ok := limit.(types.Int)
	if !ok {
		return types.MaybeNoSuchOverloadErr(limit)
	}
	return match(text, pattern, func(r *regexp.Regexp, s string) ref.Val {
		return types.NewStringList(types.DefaultTypeAdapter, r.FindAllString(s, int(n)))
	})
}
