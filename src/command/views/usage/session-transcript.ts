import type {Transcript} from '../../../core/session/transcript.ts';
import type {CommandContext} from '../../context.ts';

/** Returns the session on screen, or the one that is named, else the latest one here. Throws what `findOrLatest` throws. */
export async function sessionTranscript(
	session: string | undefined,
	{
		ui: {live},
		program: {
			session: {saved: sessions},
			store,
		},
	}: CommandContext,
): Promise<Transcript> {
	return live && !session
		? store.getState().transcript
		: (await sessions.read(await sessions.findOrLatest(session))).transcript;
}
