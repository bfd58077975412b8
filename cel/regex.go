package cel

import (
	"regexp"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// search is the implementation of find or findAll. The second argument is the pattern.
type search func(r *regexp.Regexp, args []ref.Val) ref.Val

// regexFunctions returns find and findAll.
func regexFunctions() []cel.EnvOption {
	texts := []*cel.Type{cel.StringType, cel.StringType}
	list := cel.ListType(cel.StringType)
	return []cel.EnvOption{
		cel.Function("find", cel.MemberOverload("string_find_string", texts, cel.StringType, search(find).binding())),
		cel.Function("findAll",
			cel.MemberOverload("string_find_all_string", texts, list, search(findAll).binding()),
			cel.MemberOverload("string_find_all_string_int", append(texts[:2:2], cel.IntType), list, search(findAll).binding())),
	}
}

// compiledPatterns compiles literal patterns once, together with the rule.
func compiledPatterns() cel.ProgramOption {
	return cel.OptimizeRegex(search(find).compiled("find"), search(findAll).compiled("findAll"))
}

func (s search) binding() cel.OverloadOpt {
	return cel.FunctionBinding(func(args ...ref.Val) ref.Val {
		pattern, ok := args[1].Value().(string)
		if !ok {
			return types.MaybeNoSuchOverloadErr(args[1])
		}
		r, err := regexp.Compile(pattern)
		if err != nil {
			return types.NewErr("Illegal regex: %v", err)
		}
		return s(r, args)
	})
}

func (s search) compiled(function string) *interpreter.RegexOptimization {
	return &interpreter.RegexOptimization{Function: function, RegexIndex: 1, Factory: func(call interpreter.InterpretableCall, pattern string) (interpreter.InterpretableCall, error) {
		r, err := regexp.Compile(pattern)
		if err != nil {
			return nil, err
		}
		return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), func(args ...ref.Val) ref.Val { return s(r, args) }), nil
	}}
}

func find(r *regexp.Regexp, args []ref.Val) ref.Val {
	text, ok := args[0].Value().(string)
	if !ok {
		return types.MaybeNoSuchOverloadErr(args[0])
	}
	return types.String(r.FindString(text))
}

// findAll returns all matches, or at most as many as the third argument says.
func findAll(r *regexp.Regexp, args []ref.Val) ref.Val {
	text, ok := args[0].Value().(string)
	if !ok {
		return types.MaybeNoSuchOverloadErr(args[0])
	}
	most := int64(-1)
	if len(args) > 2 {
		if most, ok = args[2].Value().(int64); !ok {
			return types.MaybeNoSuchOverloadErr(args[2])
		}
	}
	return types.NewStringList(types.DefaultTypeAdapter, r.FindAllString(text, int(most)))
}
