import type {KnownSecrets} from '../config/known-secrets.ts';
import type {AppInteraction} from './interaction.ts';

type Dependencies = {
	readonly secrets: Pick<KnownSecrets, 'find' | 'hide'>;
	readonly interact: Pick<AppInteraction, 'inquire'>;
};

/**
 * Returns the message to send. If it contains a credential, the user chooses to mask it or to send it as it is. Returns
 * undefined if they cancel.
 */
export async function messageToSend(text: string, {secrets, interact}: Dependencies): Promise<string | undefined> {
	if (!(await secrets.find(text))) {
		return text;
	}

	const answer = await interact.inquire(
		{
			question: 'This message contains an API key. Send it?',
			answers: [
				{key: 'm', label: 'Yes, masked', value: 'masked'},
				{key: 's', label: 'Yes, as it is', value: 'whole'},
			],
		},
		new AbortController().signal,
	);
	return answer === 'masked' ? secrets.hide(text) : answer === 'whole' ? text : undefined;
}
