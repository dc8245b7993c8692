package rpctest

// shortestName is the shortest string that a replay takes for a name of Pillion's
// own making; shorter ones are words.
const shortestName = 12

// learn notes what the names in a recorded message are this time, such as that of a
// question, so that what is sent afterwards is about the same things.
func (p *player) learn(recorded, actual value) {
	switch r := recorded.(type) {
	case string:
		a, isString := actual.(string)
		if _, known := p.renamed[r]; isString && !known && a != r && len(r) >= shortestName {
			p.renamed[r] = a
		}
	case []value:
		if a, isArray := actual.([]value); isArray && len(a) == len(r) {
			for i := range r {
				p.learn(r[i], a[i])
			}
		}
	case object:
		a, isObject := actual.(object)
		if !isObject {
			return
		}
		for _, m := range r {
			if v, present := a.member(m.name); present {
				p.learn(m.value, v)
			}
		}
	}
}

// rename puts what was learnt in the place of recorded names.
func (p *player) rename(v value) value {
	name := func(text string) string {
		if now, known := p.renamed[text]; known {
			return now
		}
		return text
	}
	switch v := v.(type) {
	case string:
		return name(v)
	case []value:
		out := make([]value, len(v))
		for i := range v {
			out[i] = p.rename(v[i])
		}
		return out
	case object:
		out := make(object, len(v))
		for i, m := range v {
			out[i] = member{name(m.name), p.rename(m.value)}
		}
		return out
	}
	return v
}
