import type {Interaction} from '../../platform/interaction.ts';
import type {AppStore} from '../../store/store.ts';
import type {Palette} from '../../terminal/text/style.ts';
import type {FullScreen} from '../screen/full-screen.ts';
import {createReviewView} from './review-view.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly palette: Palette;
	readonly fullScreen: FullScreen;
	readonly session: {readonly suspend: () => void};
};

/** Returns how changes of files are shown in the whole window. */
export function openReview({fullScreen, store, palette, session}: Dependencies): NonNullable<Interaction['review']> {
	const style = {palette, suspend: session.suspend, ownKeys: () => store.getState().ownKeys};
	return ({isReadOnly = false, ...review}) =>
		new Promise(resolve => {
			fullScreen.open(createReviewView({...review, ...style, isReadOnly, fullScreen, onEnd: resolve}));
		});
}
