import {useEffect} from 'react';

type Props = {
	readonly error: unknown;
	readonly fail?: (error: unknown) => void;
};

/**
 * Passes on an error of a component. Draws nothing: Ink would draw it with its source, and the app would stay as it is, without
 * a prompt. By default it is thrown outside of React, so that the program ends and prints it like every bug.
 */
export function RenderError({error, fail = throwLater}: Props): null {
	useEffect(() => fail(error), [error, fail]);
	return null;
}

function throwLater(error: unknown): void {
	setImmediate(() => {
		throw error;
	});
}
