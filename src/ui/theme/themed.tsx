import {type ReactNode, useMemo} from 'react';
import {useStore} from 'zustand';
import {type Ui, UiContext} from '../context.ts';

type Props = {readonly ui: Ui; readonly children: ReactNode};

/** Draws its children again when the colours of the palette have changed. */
export function Themed({ui, children}: Props) {
	const recolored = useStore(ui.store, state => state.recolored);
	// A palette in use stays the same object, and React draws again only what gets another.
	const value = useMemo(() => (recolored > 0 ? {...ui, palette: {...ui.palette}} : ui), [ui, recolored]);
	return <UiContext value={value}>{children}</UiContext>;
}
