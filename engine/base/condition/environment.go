package condition

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// Bounds of one condition. They admit any sensible condition, and no file that keeps every
// reader busy.
const (
	// MaxLength of the text in bytes.
	MaxLength = 2000
	// maxDepth of nesting, maxCost of one evaluation in steps of the library.
	maxDepth = 40
	maxCost  = 200_000
)

// Vocabulary declares the names that conditions may use. It must not change after its first
// use; then it may be used by several goroutines.
type Vocabulary struct {
	Facts     []Fact
	Objects   []Object
	Functions []Function
	// Elsewhere maps names of other systems to what to write here. Keys of fields begin with ".", keys of functions that
	// get wrong arguments end with "(".
	Elsewhere map[string]string

	once sync.Once
	env  *cel.Env
	err  error
}

// environment initialises the library, once.
func (v *Vocabulary) environment() (*cel.Env, error) {
	v.once.Do(func() { v.env, v.err = v.setUp() })
	return v.env, v.err
}

// hidden is the variable that passes the facts to functions. No condition can name it.
const hidden = "@facts"

func (v *Vocabulary) setUp() (*cel.Env, error) {
	registry, err := types.NewRegistry()
	if err != nil {
		return nil, err
	}
	opts := []cel.EnvOption{
		cel.CustomTypeProvider(provider{Registry: registry, v: v}), cel.CustomTypeAdapter(registry),
		cel.ParserRecursionLimit(maxDepth), cel.ParserExpressionSizeLimit(MaxLength),
		cel.Variable(hidden, factsType()),
	}
	for _, f := range v.Facts {
		opts = append(opts, cel.Variable(f.Name, celType(f.Type)))
	}
	for _, f := range v.Functions {
		opts = append(opts, f.options()...)
	}
	return cel.NewEnv(opts...)
}

// options declares a function under a name that no condition can use, and a macro that calls it
// with the facts.
func (f Function) options() []cel.EnvOption {
	args := []*cel.Type{factsType()}
	for range f.Args {
		args = append(args, cel.StringType)
	}
	inner := "@" + f.Name
	return []cel.EnvOption{
		cel.Function(inner, cel.Overload(inner, args, cel.BoolType, cel.FunctionBinding(f.bound))),
		cel.Macros(cel.GlobalMacro(f.Name, f.Args, func(h cel.MacroExprFactory, _ ast.Expr, args []ast.Expr) (ast.Expr, *cel.Error) {
			return h.NewCall(inner, append([]ast.Expr{h.NewIdent(hidden)}, args...)...), nil
		})),
	}
}

func (f Function) bound(args ...ref.Val) ref.Val {
	facts, ok := args[0].(factsValue)
	if !ok {
		return types.NewErr("%s has no facts", f.Name)
	}
	var texts []string
	for _, a := range args[1:] {
		text, ok := a.Value().(string)
		if !ok {
			return types.MaybeNoSuchOverloadErr(a)
		}
		texts = append(texts, text)
	}
	answer, err := f.Call(facts.Facts, texts)
	if err != nil {
		return types.WrapErr(err)
	}
	return types.Bool(answer)
}

// factsValue passes the facts of an evaluation to functions.
type factsValue struct{ Facts }

func factsType() *cel.Type { return cel.OpaqueType("facts") }

var errFacts = errors.New("facts are no value")

// Methods of the library's value interface. No condition can name such a value.
func (factsValue) ConvertToNative(reflect.Type) (any, error) { return nil, errFacts }
func (factsValue) ConvertToType(ref.Type) ref.Val            { return types.WrapErr(errFacts) }
func (factsValue) Equal(ref.Val) ref.Val                     { return types.False }
func (factsValue) Type() ref.Type                            { return factsType() }
func (v factsValue) Value() any                              { return v.Facts }

// provider resolves the fields of objects.
type provider struct {
	*types.Registry
	v *Vocabulary
}

func (p provider) object(name string) (Object, bool) {
	i := slices.IndexFunc(p.v.Objects, func(o Object) bool { return o.Name == name })
	if i < 0 {
		return Object{}, false
	}
	return p.v.Objects[i], true
}

// FindStructType implements types.Provider.
func (p provider) FindStructType(name string) (*types.Type, bool) {
	if _, ok := p.object(name); ok {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return p.Registry.FindStructType(name)
}

// FindStructFieldNames implements types.Provider.
func (p provider) FindStructFieldNames(name string) ([]string, bool) {
	o, ok := p.object(name)
	if !ok {
		return p.Registry.FindStructFieldNames(name)
	}
	var out []string
	for _, f := range o.Fields {
		out = append(out, f.Name)
	}
	return out, true
}

// FindStructFieldType implements types.Provider.
func (p provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	o, ok := p.object(name)
	if !ok {
		return p.Registry.FindStructFieldType(name, field)
	}
	for _, f := range o.Fields {
		if f.Name == field {
			return &types.FieldType{Type: celType(f.Type)}, true
		}
	}
	return nil, false
}

// names lists the names that a condition may use, sorted.
func (v *Vocabulary) names() []string {
	set := map[string]bool{}
	for _, f := range v.Facts {
		set[f.Name] = true
	}
	for _, f := range v.Functions {
		set[f.Name] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// fields lists the names of all fields, sorted.
func (v *Vocabulary) fields() []string {
	set := map[string]bool{}
	for _, o := range v.Objects {
		for _, f := range o.Fields {
			set[f.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}
