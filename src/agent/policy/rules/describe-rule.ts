import {mayRunWords} from '../command/runners.ts';
import {findAct} from './acts.ts';
import {type CommandPattern, readCommandPattern} from './command-pattern.ts';
import type {Rule} from './rule.ts';

/** Most options that a description names. */
const maxOptions = 4;

/** Returns in words what an allowing rule covers, such as `“npm test” with names and options such as --coverage`. */
export function describeRule({tool, pattern}: Rule): string {
	switch (tool) {
		case 'run_command':
			return pattern === undefined ? 'every command' : describeCommand(pattern);
		case 'edit_file':
		case 'write_file':
			return pattern === undefined ? 'changes of every file' : `changes of ${pattern}`;
		case 'read_file':
			return pattern === undefined ? 'reading files' : `reading ${pattern}`;
		case 'fetch_url':
			return pattern === undefined ? 'reading every website' : `reading from ${pattern}`;
		case 'mcp':
			return pattern === undefined ? 'every tool of MCP servers' : `the MCP tool ${pattern}`;
	}
}

function describeCommand(pattern: string): string {
	const read = readCommandPattern(pattern);
	if ('fault' in read) {
		return 'nothing';
	}

	const {folder, rest} = read;
	const words = pattern.slice(folder === undefined ? 0 : pattern.indexOf('&&') + 2).trim();
	const named = `“${rest === 'none' ? words : words.replace(/\s*\*+$/, '')}”`;
	const covered = rest === 'none' ? named : `${named} with ${rest === 'any' ? 'any words' : harmlessWords(read)}`;
	return `${rest === 'none' ? 'exactly ' : ''}${covered}${folder === undefined ? '' : ` in ${folder}`}`;
}

/** True for a rule whose `*` covers nothing, because every further word would say what the program does. */
export function hasIdleStar({tool, pattern = ''}: Rule): boolean {
	const read = tool === 'run_command' ? readCommandPattern(pattern) : {fault: ''};
	return !('fault' in read) && read.rest === 'harmless' && harmlessWords(read) === nothing;
}

const nothing = 'nothing else';

function harmlessWords({words}: CommandPattern): string {
	const values = words.map(pieces => pieces.join('*'));
	const act = findAct(values)?.act;
	const options = [...(act?.inner?.keys() ?? []), ...(act?.options.keys() ?? [])];
	const named = [...new Set(options)].filter(name => name.startsWith('--')).slice(0, maxOptions);
	const names = (act ? act.hasOperands : !mayRunWords(values)) ? 'names in this folder' : '';
	const listed = named.length > 0 ? `options such as ${named.join(', ')}` : '';
	return [names, listed].filter(Boolean).join(' and ') || nothing;
}
