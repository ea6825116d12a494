import type {Program} from '../../command/program.ts';
import {shellLine} from '../../core/program-name.ts';
import {blocksOf} from '../../core/session/transcript.ts';
import {completionKeys} from '../../editor/keymap/default-keys.ts';
import {hintKey} from '../../editor/keymap/key-label.ts';
import {keymapOf, noOwnKeys} from '../../editor/keymap/keymap.ts';
import {localConnection} from '../../store/connection-slice.ts';
import type {AppStore} from '../../store/store.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import type {Item} from '../screen/written.ts';
import type {Painter} from '../transcript/painter.ts';
import {firstTask, shortFolder, welcomeLines} from '../welcome.ts';
import {readFolderFacts} from './folder-facts.ts';

type Parts = {
	readonly program: Program;
	readonly painter: Painter;
	readonly store: AppStore;
	readonly palette: Palette;
	readonly version: string;
	readonly homeFolder: string | undefined;
	readonly warn: (text: string, hint?: string) => void;
	/** True if a key inserts what the prompt offers. */
	readonly insertsOffers?: boolean;
	/** Draws again what is in the window; left out without a screen. */
	readonly redraw?: () => void;
};

/** What the app begins with, besides an empty session. */
type Beginning = {readonly resume?: string | undefined; readonly pick?: boolean; readonly prompt?: string};

/**
 * Prints the welcome and the warnings, and keeps the welcome true while it is in the window: another model is another welcome.
 * Where a key inserts what the prompt offers, that is what the demo model shows best. Returns a function that ends this.
 */
export async function greet(parts: Parts, {resume, pick = false, prompt}: Beginning): Promise<() => void> {
	const {program, painter, store, warn, redraw} = parts;
	const [place, insertKey] = await Promise.all([readFolderFacts(program), readInsertKey(parts)]);
	const isBrief = resume !== undefined || pick || prompt !== undefined;
	if (program.model.isDemo() && insertKey && !isBrief && !store.getState().offered) {
		store.setState({offered: {label: '', text: firstTask}});
	}

	const draw = (): Item['draw'] => {
		const {offered} = store.getState();
		const facts = {...factsOf(parts), place, insertKey: offered?.text === firstTask ? insertKey : '', isBrief};
		return width => welcomeLines({...facts, width});
	};
	painter.advance();
	let drawn = draw();
	painter.print(drawn);

	for (const warning of program.warnings()) {
		warn(warning);
	}

	return store.subscribe(({model, connection, offered, agent}, before) => {
		if (
			redraw &&
			(agent !== before.agent ||
				model !== before.model ||
				connection.server !== before.connection.server ||
				// The key inserts it no longer.
				(offered !== before.offered && before.offered?.text === firstTask))
		) {
			const next = draw();
			painter.renew(drawn, next);
			drawn = next;
			redraw();
		}

		if (model !== before.model && offered?.text === firstTask && !program.model.isDemo()) {
			store.setState({offered: undefined});
		}
	});
}

function factsOf({program, store, palette, version, homeFolder}: Parts) {
	const {connection, model, agent, remote} = store.getState();
	return {
		version,
		// The host says which folder it is once the terminal is attached.
		folder: remote?.name ?? shortFolder(program.project.folder.path(), homeFolder),
		model,
		agent: agent && {name: agent.name, isContained: agent.isContained === true},
		isDemo: program.model.isDemo(),
		lacksKey: program.model.lacksKey(),
		server: connection.profile === localConnection.profile ? undefined : connection.server.replace(/^https?:\/\//, ''),
		palette,
	};
}

/** Returns the key that inserts what the prompt offers, of the user's own keys, which are not in use yet; '' without one. */
async function readInsertKey({program, insertsOffers}: Parts): Promise<string> {
	const value = program.local.settings.value('keys');
	const {own} =
		value === undefined ? {own: noOwnKeys} : (await import('../../command/keymap/read-keys.ts')).readKeys(value);
	return insertsOffers ? hintKey(keymapOf(completionKeys, own), 'completion.complete') : '';
}

/** Returns what is printed when the app has ended, with its line end. */
export function farewell({store}: Pick<Parts, 'store'>): string {
	const {transcript, unsaved, background, remote, next, parting} = store.getState();
	if (next) {
		return '';
	}

	if (parting) {
		return `${parting}\n`;
	}

	if (remote) {
		const place = remote.at === undefined ? '' : ` --at ${safeLine(remote.at)}`;
		const attach = shellLine(`attach ${safeLine(transcript.session.slice(0, 8))}${place}`);
		return remote.state === 'closed'
			? ''
			: `The session continues on ${safeLine(remote.name)}. Attach again: ${attach}\n`;
	}

	if (unsaved) {
		return `This session was not saved: ${safeLine(unsaved)}\n`;
	}

	// A session without a message is not kept.
	const isKept = blocksOf(transcript).some(({kind}) => kind === 'user' || kind === 'command');
	const resume = (session: string) => shellLine(`--resume ${safeLine(session.slice(0, 8))}`);
	return [
		...(isKept ? [`Resume this session with: ${resume(transcript.session)}\n`] : []),
		...background.map(({id, state}) => {
			const what = state === 'ended' ? 'Resume the background session' : 'A background run was interrupted. Resume it';
			return `${what} with: ${resume(id)}\n`;
		}),
	].join('');
}
