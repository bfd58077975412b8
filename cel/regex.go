package cel

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/decorum-go/decorum/internal/schema"
)

// search is the implementation of matches, find or findAll. The second argument is the pattern.
type search func(p *schema.Pattern, args []ref.Val) ref.Val

// regexFunctions returns matches, find and findAll. matches replaces the function of the standard library, which
// searches texts of any length for patterns of any size.
func regexFunctions() []cel.EnvOption {
	texts := []*cel.Type{cel.StringType, cel.StringType}
	list := cel.ListType(cel.StringType)
	return []cel.EnvOption{
		cel.Function(overloads.Matches,
			cel.Overload(overloads.Matches, texts, cel.BoolType),
			cel.MemberOverload(overloads.MatchesString, texts, cel.BoolType),
			cel.SingletonFunctionBinding(search(matches).dynamic("%v"))),
		cel.Function("find", cel.MemberOverload("string_find_string", texts, cel.StringType,
			cel.FunctionBinding(search(find).dynamic(illegal)))),
		cel.Function("findAll",
			cel.MemberOverload("string_find_all_string", texts, list, cel.FunctionBinding(search(findAll).dynamic(illegal))),
			cel.MemberOverload("string_find_all_string_int", append(texts[:2:2], cel.IntType), list,
				cel.FunctionBinding(search(findAll).dynamic(illegal)))),
	}
}

// illegal is the text of an error about a pattern.
const illegal = "Illegal regex: %v"

// literals are the literal patterns of a program, by their texts. They are compiled once, together with the program.
type literals map[string]*schema.Pattern

// compiled returns the option that compiles the literal patterns of a program.
func (l literals) compiled() cel.ProgramOption {
	of := func(function, overload string, s search) *interpreter.RegexOptimization {
		return &interpreter.RegexOptimization{Function: function, OverloadID: overload, RegexIndex: 1,
			Factory: func(call interpreter.InterpretableCall, text string) (interpreter.InterpretableCall, error) {
				p, err := schema.NewPattern(text)
				if err != nil {
					return nil, err
				}
				l[text] = p
				return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(),
					func(args ...ref.Val) ref.Val { return s(p, args) }), nil
			}}
	}
	// cel-go adds an optimization of matches by its function. One by its overload comes first.
	return cel.OptimizeRegex(of(overloads.Matches, overloads.Matches, matches),
		of(overloads.Matches, overloads.MatchesString, matches), of("find", "", find), of("findAll", "", findAll))
}

const (
	// stepsPerUnit is how many steps of a search cost at least one unit, so that the cost limit of an expression is
	// reached after 500 million steps, of up to 10 ns. API servers charge 1 unit for 40 bytes times characters of the
	// pattern, so only a pattern with more than 12 states for each of its characters costs more here.
	stepsPerUnit = 500
	// stepsPerState is how many steps the compilation of one state counts.
	stepsPerState = 50
)

// searchCost returns the cost of a search, for which API servers charge by the length of the pattern.
func (l literals) searchCost(args []ref.Val, result ref.Val) float64 {
	cost := patternCost(size(args[0]), size(args[1]))
	text, ok := args[0].Value().(string)
	pattern, isText := args[1].Value().(string)
	if !ok || !isText || types.IsError(result) {
		return cost
	}
	p, known := l[pattern]
	if !known {
		var err error
		if p, err = schema.NewPattern(pattern); err != nil {
			return cost
		}
	}
	steps := float64(p.Steps(text))
	if result.Type() == types.ListType {
		steps *= size(result) + 1
	}
	if !known {
		steps += float64(stepsPerState * p.Steps(""))
	}
	return max(cost, steps/stepsPerUnit)
}

// dynamic returns the implementation for patterns that are not literals.
func (s search) dynamic(illegal string) func(args ...ref.Val) ref.Val {
	return func(args ...ref.Val) ref.Val {
		text, ok := args[1].Value().(string)
		if !ok {
			return types.MaybeNoSuchOverloadErr(args[1])
		}
		p, err := schema.NewPattern(text)
		if err != nil {
			return types.NewErr(illegal, err)
		}
		return s(p, args)
	}
}

// tooLong returns the error for a search that could take more steps than the patterns of a schema for a whole object.
func tooLong(p *schema.Pattern) ref.Val {
	return types.WrapErr(fmt.Errorf("the text is too long for the pattern '%s': the search could take more than %d steps",
		p, schema.MaxSteps))
}

func matches(p *schema.Pattern, args []ref.Val) ref.Val {
	text, ok := args[0].Value().(string)
	switch {
	case !ok:
		return types.MaybeNoSuchOverloadErr(args[0])
	case p.Steps(text) > schema.MaxSteps:
		return tooLong(p)
	}
	return types.Bool(p.Regexp().MatchString(text))
}

func find(p *schema.Pattern, args []ref.Val) ref.Val {
	text, ok := args[0].Value().(string)
	switch {
	case !ok:
		return types.MaybeNoSuchOverloadErr(args[0])
	case p.Steps(text) > schema.MaxSteps:
		return tooLong(p)
	}
	return types.String(p.Regexp().FindString(text))
}

// findAll returns all matches, or at most as many as the third argument says. The search for each match may read the
// text to its end, so it ends after as many matches as its steps allow.
func findAll(p *schema.Pattern, args []ref.Val) ref.Val {
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
	affordable := schema.MaxSteps / p.Steps(text) // searches
	if most >= 0 && most <= affordable {
		return types.NewStringList(types.DefaultTypeAdapter, p.Regexp().FindAllString(text, int(most)))
	}
	found := p.Regexp().FindAllString(text, int(affordable))
	if int64(len(found)) == affordable {
		return tooLong(p)
	}
	return types.NewStringList(types.DefaultTypeAdapter, found)
}
