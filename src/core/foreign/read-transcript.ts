import {uuidSource} from '../uuid.ts';
import {isClaudeCode, readClaudeCode} from './claude-code.ts';
import {isCodex, readCodex} from './codex.ts';
import {type ForeignLine, type ForeignSession, listOf, member} from './foreign-session.ts';

/** How many lines are looked at for the client that wrote them. */
const maxLooked = 200;

/** Returns the conversation in a file of another client, by its lines and its name; undefined if it is none. */
export function readTranscript(given: readonly ForeignLine[], fileName: string): ForeignSession | undefined {
	const [first] = given;
	// The first version of Codex wrote one object.
	const inOne = first && 'value' in first && given.length === 1 ? listOf(member(first.value, 'items')) : [];
	const lines =
		inOne.length > 0 && first && 'value' in first
			? [{value: {instructions: '', ...Object(member(first.value, 'session'))}}, ...inOne.map(value => ({value}))]
			: given;
	const id = new RegExp(`${uuidSource}(?=\\.jsonl?$)`).exec(fileName)?.[0] ?? '';
	for (const line of lines.slice(0, maxLooked)) {
		if ('value' in line && isCodex(line.value)) {
			return readCodex(lines, id);
		}

		if ('value' in line && isClaudeCode(line.value)) {
			return readClaudeCode(lines, id);
		}
	}

	return undefined;
}
