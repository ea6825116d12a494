import type {Program} from '../../command/program.ts';
import {shellLine} from '../../core/program-name.ts';
import {blocksOf} from '../../core/session/transcript.ts';
import {localConnection} from '../../store/connection-slice.ts';
import type {AppStore} from '../../store/store.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import type {Painter} from '../transcript/painter.ts';
import {shortFolder, welcomeLines} from '../welcome.ts';

type Parts = {
	readonly program: Program;
	readonly painter: Painter;
	readonly store: AppStore;
	readonly palette: Palette;
	readonly version: string;
	readonly homeFolder: string | undefined;
	readonly warn: (text: string, hint?: string) => void;
};

/** What the app begins with, besides an empty session. */
type Beginning = {readonly resume?: string | undefined; readonly pick?: boolean; readonly prompt?: string};

/** Prints the welcome and the warnings. */
export function greet(
	{program, painter, store, palette, version, homeFolder, warn}: Parts,
	{resume, pick = false, prompt}: Beginning,
): void {
	painter.advance();
	const {connection} = store.getState();
	painter.print(width =>
		welcomeLines({
			version,
			folder: shortFolder(program.project.folder.path(), homeFolder),
			model: store.getState().model,
			isDemo: program.model.isDemo(),
			lacksKey: program.model.lacksKey(),
			server:
				connection.profile === localConnection.profile ? undefined : connection.server.replace(/^https?:\/\//, ''),
			isBrief: resume !== undefined || pick || prompt !== undefined,
			width,
			palette,
		}),
	);
	for (const warning of program.warnings()) {
		warn(warning);
	}
}

/** Returns what is printed when the app has ended, with its line end. */
export function farewell({store}: Pick<Parts, 'store'>): string {
	const {transcript, unsaved, background} = store.getState();
	if (unsaved) {
		return `This session was not saved: ${safeLine(unsaved)}\n`;
	}

	// A session without a message is not kept.
	const isKept = blocksOf(transcript).some(({kind}) => kind === 'user' || kind === 'command');
	const resume = (session: string) => shellLine(`--resume ${safeLine(session.slice(0, 8))}`);
	return [
		...(isKept ? [`Resume this session with: ${resume(transcript.session)}\n`] : []),
		...background.map(({id, state}) => {
			const what = state === 'ended' ? 'Resume that of the background' : 'A background run was interrupted. Resume it';
			return `${what} with: ${resume(id)}\n`;
		}),
	].join('');
}
