import reasons from '../../../.scripts/dependencies.json' with {type: 'json'};
import {settingKeys, settingTable} from '../../config/settings/setting-table.ts';
import {allowedValues, shownSetting} from '../../config/settings/setting-value.ts';
import {type Endpoint, scopeOf} from '../../contract/endpoint.ts';
import {operations} from '../../contract/operations.ts';
import {pathTemplate} from '../../contract/path.ts';
import {type ErrorCode, exitStatus} from '../../core/error.ts';
import {contexts} from '../../editor/keymap/contexts.ts';
import {keyLabel} from '../../editor/keymap/key-label.ts';
import type {OwnKeys} from '../../editor/keymap/keymap.ts';
import {attributeRows} from '../../server/ingest/attributes.ts';
import {knownTerminals, type NoticeWay} from '../../terminal/attention/terminal-kind.ts';
import {actionSummaries} from '../keymap/action-summaries.ts';
import {type KeyRow, keyRows} from '../keymap/key-table.ts';
import {environmentRows} from './environment.ts';
import {code, markdownTable} from './markdown-table.ts';

const statusMeaning: Readonly<Record<ErrorCode, string>> = {
	failed: 'failed',
	usage: 'invalid command line',
	incomplete: 'the answer is incomplete: broken off, cut at the token limit, filtered or refused',
	auth: 'not authenticated, or forbidden',
	'not-found': 'not found',
	network: 'the network or the server failed',
	provider: 'the network or the server failed',
	budget: 'the budget or the number of turns is used up',
	conflict: 'it conflicts with the current state',
	upgrade: 'a newer version of service is required',
	interrupted: 'interrupted',
};

function statuses(): string {
	const meanings = new Map([[0, 'done']]);
	for (const [name, status] of Object.entries(exitStatus)) {
		meanings.set(status, statusMeaning[name as ErrorCode]);
	}

	return markdownTable(
		['status', 'meaning'],
		[...meanings].map(([status, meaning]) => [String(status), meaning]),
	);
}

function requests(): string {
	const rows = Object.values<Endpoint>(operations).map(row => [
		`${row.summary}${row.deprecated ? ' (deprecated)' : ''}${row.extension ? ' (extension)' : ''}`,
		code(`${row.method} ${pathTemplate(row.path)}`),
		scopeOf(row).join(', '),
		row.auth === 'bearer' ? 'bearer token' : 'API key',
	]);
	return markdownTable(['operation', 'request', 'works in', 'credential'], rows);
}

function dependencies(): string {
	const table = (packages: Readonly<Record<string, string>>) =>
		markdownTable(
			['package', 'is for'],
			Object.entries(packages).map(([name, reason]) => [code(name), reason]),
		);
	return [
		table(reasons.dependencies),
		'Optional, if the operating system supports it:',
		table(reasons.optionalDependencies),
		'For development only:',
		table(reasons.devDependencies),
	].join('\n\n');
}

function settings(): string {
	const rows = settingKeys.map(key => {
		const {summary, default: fallback, flag, variable, place} = settingTable[key];
		const sources = [flag, variable?.name, place === 'environment' ? undefined : place];
		return [
			code(key),
			summary,
			allowedValues(key),
			shownSetting(key, fallback),
			sources.flatMap(each => (each ? code(each) : [])).join(', '),
		];
	});
	return markdownTable(['setting', 'meaning', 'allowed', 'default', 'set by'], rows);
}

const noticeWords: Readonly<Record<NoticeWay, string>> = {
	'osc-9': 'OSC 9',
	'osc-99': 'OSC 99',
	'osc-777': 'OSC 777',
	bell: 'bell',
};

function terminals(): string {
	const kinds = knownTerminals.map(({name, notice, rings, progress}) => [
		name,
		rings ? `${noticeWords[notice]} and bell` : noticeWords[notice],
		progress ? 'yes' : 'no',
	]);
	return markdownTable(['terminal', 'notification', 'progress'], [...kinds, ['others', 'bell', 'no']]);
}

/** Returns a table of the keys in effect for each place of the app. */
function keys(ownKeys: OwnKeys): string {
	const rows = keyRows(ownKeys);
	const cells = ({keys: own, action, isOwn}: KeyRow) => [
		`${own.map(keyLabel).join(', ') || 'none'}${isOwn ? ' (yours)' : ''}`,
		actionSummaries[action],
		code(action),
	];
	return contexts
		.map(({title}) => {
			const here = rows.filter(row => row.title === title);
			return `### ${title}\n\n${markdownTable(['key', 'what it does', 'action'], here.map(cells))}`;
		})
		.join('\n\n');
}

/** Returns the tables that pages are completed with, by the name of their marker. */
export function topicTables(ownKeys: OwnKeys): Readonly<Record<string, string>> {
	return {
		environment: markdownTable(['variable', 'meaning'], environmentRows()),
		settings: settings(),
		statuses: statuses(),
		operations: requests(),
		attributes: markdownTable(
			['attribute', 'type', 'feeds', 'meaning'],
			attributeRows().map(({key, type, feeds, meaning}) => [code(key), type, feeds, meaning]),
		),
		dependencies: dependencies(),
		terminals: terminals(),
		keys: keys(ownKeys),
	};
}
