package editors

import "pillion/rpc/message"

// ImportText is the report of a conversion: what was written, and what could not be carried over.
func ImportText(from, into string, result message.ImportResult) string {
	var d document
	d.say("Pillion: what was converted.")
	d.say(foreignNote)
	d.value("from", from)
	d.value("into", into)
	d.say("Written: %s. Nothing of it runs before you allow it.", Counted(len(result.Added), "connector"))
	if len(result.Report) > 0 {
		d.gap()
		d.say("what was not, or not simply, carried over")
	}
	for _, remark := range result.Report {
		where := Visible(remark.Name)
		if remark.Key != "" {
			where += " " + Visible(remark.Key)
		}
		if where != "" {
			where += ": "
		}
		d.say("| %s%s", where, Visible(remark.Message))
	}
	return d.end("The file that it came from is as it was.")
}

// ImportsText lists the files of other programs that name connectors.
func ImportsText(found message.ImportsResult) string {
	var d document
	d.say("Pillion: files of other programs that name connectors.")
	d.say(foreignNote)
	if len(found.Found) == 0 {
		d.say("None was found.")
	}
	for _, one := range found.Found {
		d.gap()
		d.value("file", one.URI.FsPath())
		d.values("connectors", one.Names)
		d.value("why nothing can be converted", one.Problem)
	}
	return d.end("To convert: a code action of the file, or pillion import in a terminal.")
}
