// Package project sets flaketap up for a project: it finds by which client the API is tested there ([Clients]), asks
// for what nobody has said ([Settings.Ask]), and writes the settings file that all commands read ([Settings.YAML]).
package project
