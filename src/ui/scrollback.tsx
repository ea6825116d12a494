import {useEffect} from 'react';
import {useStdout} from './ink.ts';

type Props = {
	/** Told how to write above the live region, once there is one. */
	readonly onReady: (write: (data: string) => void) => void;
};

/** Draws nothing: it hands out Ink's way of writing finished lines above what Ink draws. */
export function Scrollback({onReady}: Props) {
	const {write} = useStdout();
	useEffect(() => onReady(write), [onReady, write]);
	return null;
}
