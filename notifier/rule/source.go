package rule

import "github.com/carillonhq/carillon/internal/source"

// source finds the database with a name, or adds a fault.
func (p *parser) source(name string, t *fields) source.Source {
	if name == "" {
		return source.Source{}
	}
	if s, known := p.sources[name]; known {
		return s
	}
	s, err := source.Find(name, p.lookup)
	if err != nil {
		t.fault("source", err.Error())
		return source.Source{}
	}
	p.sources[name] = s
	return s
}
