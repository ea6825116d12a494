import type {McpFile} from '../config/mcp/mcp-file.ts';
import type {EditorSession} from './editor-session.ts';
import type {AuthMethod, ClientCapabilities, Editor, EditorAbilities, ParamsOf, ResponseTo} from './protocol.ts';

/** Where an editor opens a session, and with what. */
export type EditorPlace = {
	readonly editor: Editor;
	readonly capabilities: ClientCapabilities;
	/** The name of the editor, as it says; '' if it says none. */
	readonly editorName: string;
	readonly cwd: string;
	/** The MCP servers that the editor asks for, and those of them that can't be used. */
	readonly mcp: McpFile;
	/** Called when the session has ended, and the editor did not close it. */
	readonly onEnded: (sessionId: string) => void;
};

/** What keeps the sessions that an editor opens: this process, or a host. */
export type SessionKeeper = {
	readonly capabilities: EditorAbilities;
	/** Returns the ways to log in that an editor can offer. */
	readonly logins: (capabilities: ClientCapabilities) => AuthMethod[];
	/** Begins a session. Throws `AppError` if that is impossible there. */
	readonly begin: (place: EditorPlace) => Promise<EditorSession>;
	/** Throws AppError("usage") for a place where no session is. */
	readonly check: (place: EditorPlace) => void;
	/** Continues a session. Throws the error of `unknownSession` for one that isn't there. */
	readonly continue: (sessionId: string, place: EditorPlace) => Promise<EditorSession>;
	readonly list: (wanted: ParamsOf<'session/list'>) => Promise<ResponseTo<'session/list'>>;
	/** Deletes what is saved of a session that is closed. */
	readonly delete: (sessionId: string) => Promise<void>;
	readonly logOut: () => Promise<void>;
	/** Releases what all sessions share. */
	readonly close: () => void;
};

/** Returns an id or a name of an editor as an error shows it. */
export function shortened(name: string): string {
	return name.length > 60 ? `${name.slice(0, 59)}…` : name;
}
