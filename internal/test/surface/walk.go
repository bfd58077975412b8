package surface

import (
	"go/types"
	"slices"
)

// mentions returns a line for each type of certain packages that the exported names of a package show.
func mentions(pkg *types.Package, of func(path string) bool) []string {
	w := walker{pkg: pkg, of: of, seen: map[types.Type]bool{}}
	for _, name := range pkg.Scope().Names() {
		if obj := pkg.Scope().Lookup(name); obj.Exported() {
			w.object(pkg.Path()+"."+name, obj)
		}
	}
	return w.mentions
}

// walker follows the declarations of one package, as far as its users can see.
type walker struct {
	pkg      *types.Package
	of       func(path string) bool // whether types of a package count as mentions
	seen     map[types.Type]bool    // named types of the package that were visited
	mentions []string
}

// object visits a package-level name. at is what a mention is reported under.
func (w *walker) object(at string, obj types.Object) {
	if name, ok := obj.(*types.TypeName); ok && name.IsAlias() {
		w.alias(at, name.Type())
		return
	}
	w.visit(at, obj.Type())
}

// alias visits what an alias stands for.
func (w *walker) alias(at string, t types.Type) {
	if a, ok := t.(*types.Alias); ok {
		w.parameters(at, a.TypeParams())
		t = a.Rhs()
	}
	w.visit(at, t)
}

// visit follows a type through all that a user of it can reach.
func (w *walker) visit(at string, t types.Type) {
	switch t := t.(type) {
	case *types.Named:
		w.named(at, t)
	case *types.Alias:
		if w.mention(at, t.Obj()) {
			w.arguments(at, t.TypeArgs())
			if t.Obj().Pkg() == w.pkg {
				w.alias(at, t)
			}
		}
	case *types.Signature:
		w.parameters(at, t.TypeParams())
		w.tuple(at, t.Params())
		w.tuple(at, t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() && promotes(f.Type()) {
				w.visit(at+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		w.methods(at, t)
		for e := range t.EmbeddedTypes() {
			if !seals(e) {
				w.visit(at, e)
			}
		}
	case *types.Union:
		for term := range t.Terms() {
			w.visit(at, term.Type())
		}
	case *types.Map:
		w.visit(at, t.Key())
		w.visit(at, t.Elem())
	case interface{ Elem() types.Type }: // a pointer, slice, array or channel
		w.visit(at, t.Elem())
	}
}

// promotes reports whether a type that is embedded under an unexported name gives exported fields or methods to the
// struct around it. Users cannot reach any other embedded type.
func promotes(embedded types.Type) bool {
	if p, ok := embedded.(*types.Pointer); ok {
		embedded = p.Elem()
	}
	for m := range types.NewMethodSet(types.NewPointer(embedded)).Methods() {
		if m.Obj().Exported() {
			return true
		}
	}
	s, ok := embedded.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if f.Exported() || f.Embedded() && promotes(f.Type()) {
			return true
		}
	}
	return false
}

// seals reports whether an embedded type is an interface that only prevents other packages from implementing the
// interface around it. Users cannot call its methods, so they do not need its name.
func seals(embedded types.Type) bool {
	i, ok := embedded.Underlying().(*types.Interface)
	if !ok || i.NumMethods() == 0 || !i.IsMethodSet() {
		return false
	}
	for m := range i.Methods() {
		if m.Exported() {
			return false
		}
	}
	return true
}

// named visits a declared type. Types of other packages are those packages' own concern, unless they count as mentions.
func (w *walker) named(at string, t *types.Named) {
	if !w.mention(at, t.Obj()) {
		return
	}
	w.arguments(at, t.TypeArgs())
	t = t.Origin()
	if t.Obj().Pkg() != w.pkg || w.seen[t] {
		return
	}
	w.seen[t] = true
	at = w.pkg.Path() + "." + t.Obj().Name()
	w.parameters(at, t.TypeParams())
	w.visit(at, t.Underlying())
	if !types.IsInterface(t) {
		w.methods(at, types.NewPointer(t))
	}
}

// methods visits the exported methods of a type, promoted ones included.
func (w *walker) methods(at string, t types.Type) {
	for m := range types.NewMethodSet(t).Methods() {
		if m.Obj().Exported() {
			w.visit(at+"."+m.Obj().Name(), m.Type())
		}
	}
}

func (w *walker) parameters(at string, list *types.TypeParamList) {
	for p := range list.TypeParams() {
		w.visit(at, p.Constraint())
	}
}

func (w *walker) arguments(at string, list *types.TypeList) {
	for t := range list.Types() {
		w.visit(at, t)
	}
}

func (w *walker) tuple(at string, list *types.Tuple) {
	for v := range list.Variables() {
		w.visit(at, v.Type())
	}
}

// mention reports whether the walker may visit a type, and takes down a mention if it may not.
func (w *walker) mention(at string, name *types.TypeName) bool {
	if name.Pkg() == nil || !w.of(name.Pkg().Path()) {
		return true
	}
	if line := at + " mentions " + name.Pkg().Path() + "." + name.Name(); !slices.Contains(w.mentions, line) {
		w.mentions = append(w.mentions, line)
	}
	return false
}
