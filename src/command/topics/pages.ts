import {noOwnKeys} from '../../editor/keymap/keymap.ts';
import access from './access.md';
import agents from './agents.md';
import dependencies from './dependencies.md';
import editors from './editors.md';
import environment from './environment.md';
import exitStatus from './exit-status.md';
import hooks from './hooks.md';
import hosts from './hosts.md';
import keys from './keys.md';
import mcp from './mcp.md';
import operate from './operate.md';
import operations from './operations.md';
import prompt from './prompt.md';
import serve from './serve.md';
import settings from './settings.md';
import {topicTables} from './tables.ts';
import tasks from './tasks.md';
import type {Topic} from './topics.ts';
import traces from './traces.md';

const pages: Readonly<Record<Topic['name'], string>> = {
	environment,
	settings,
	'exit-status': exitStatus,
	keys,
	access,
	prompt,
	hooks,
	mcp,
	agents,
	editors,
	hosts,
	serve,
	operate,
	tasks,
	traces,
	operations,
	dependencies,
};

/** Returns the page of a topic as Markdown, with the table for each marker. Throws if a marker has none. */
export function pageOf(name: Topic['name'], ownKeys = noOwnKeys): string {
	const tables = topicTables(ownKeys);
	return joinLines(pages[name].trimEnd()).replace(/^<!-- ([a-z]+) -->$/gm, (marker, table: string) => {
		const text = tables[table];
		if (text === undefined) {
			throw new Error(`The page ${name} has ${marker}, for which there is no table.`);
		}

		return text;
	});
}

/** Returns the page with each paragraph on one line, so that a window breaks it where it ends; code stays as it is. */
function joinLines(page: string): string {
	return page
		.split(/^(```[\s\S]*?^```$)/m)
		.map((part, index) => (index % 2 === 1 ? part : part.replace(/(?<=[^\n|>#-].*[^\n|>])\n *(?=[^\s|<#-])/g, ' ')))
		.join('');
}
