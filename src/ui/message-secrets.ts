import type {KnownSecrets} from '../config/known-secrets.ts';
import type {AppInteraction} from './interaction.ts';

type Dependencies = {
	readonly secrets: Pick<KnownSecrets, 'find' | 'hide'>;
	readonly interact: Pick<AppInteraction, 'inquire'>;
};

/**
 * The message as it may be sent: one that holds a credential only as the user wants it, masked or as it is. Undefined where
 * they cancel.
 */
export async function messageToSend(text: string, {secrets, interact}: Dependencies): Promise<string | undefined> {
	if (!(await secrets.find(text))) {
		return text;
	}

	const answer = await interact.inquire(
		{
			question: 'This message holds an API key. Send it?',
			answers: [
				{key: 'm', label: 'masked', value: 'masked'},
				{key: 's', label: 'as it is', value: 'whole'},
			],
		},
		new AbortController().signal,
	);
	return answer === 'masked' ? secrets.hide(text) : answer === 'whole' ? text : undefined;
}
