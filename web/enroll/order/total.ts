import type { OrderList } from '#contract/packages.ts'
import type { StartData } from '#contract/start.ts'
import { ask } from '#web/dialog/ask.ts'
import { log } from '#web/log.ts'
import type { Draft } from '#web/storage.ts'
import { nextStep } from '../flow.ts'
import type { Loading } from '../wizard/loading.ts'
import { isFromPayment, type Moves } from '../wizard/moves.ts'
import type { Store } from '../wizard/store.ts'
import { isSameOrder } from './order.ts'
import { orderFailed } from './orderFailed.ts'

/** The chosen packages, and the total that the server calculates for them. */
export function createTotal(store: Store, { waitForNetwork }: Loading, { enter, returnTo }: Moves) {
  const { getState, update, saveForm, startRequest, start } = store
  let retryTotal: (() => Promise<unknown>) | undefined

  /** Chooses one package of a list, and goes to the next step once the total is known. */
  const choosePackage = async (list: OrderList, product_ids: string): Promise<undefined> => {
    const choice = { [list]: product_ids, agreement_2: '' } // the consent is for another order
    await loadTotal(
      { ...getState().draft, ...choice },
      startRequest(),
      () => choosePackage(list, product_ids),
      async () => {
        const draft = saveForm(choice)
        if (!isFromPayment()) return enter(nextStep(getState().step, start.policy), draft)
        update({ draft })
        return void history.back()
      },
    )
  }

  /** Asks the server for the total of an order, then continues. */
  const loadTotal = async (
    draft: Draft,
    isCurrent: () => boolean,
    retry: () => Promise<unknown>,
    onTotal?: () => Promise<undefined>,
  ) => {
    try {
      const { fetchTotal } = await import('./fetchTotal.ts')
      const grand_total = await fetchTotal({ start, getState, refreshOrder, returnTo }, draft, isCurrent)
      if (!grand_total || !isCurrent()) return
      update({ grand_total, stop: undefined })
      await onTotal?.()
    } catch (cause) {
      if (!isCurrent()) return
      if (!(await waitForNetwork())) stopWithoutTotal(cause, retry)
      else if (isCurrent()) await retry()
    }
  }

  /** The packages or the total could not be loaded: no button works until `retry` has succeeded. */
  const stopWithoutTotal = (cause: unknown, retry: () => Promise<unknown>) => {
    log('The order could not be loaded.', cause)
    retryTotal = retry
    update({ stop: 'total-not-loaded' })
    ask(orderFailed(cause)).then(() => document.getElementById('total-not-loaded')?.focus())
  }

  const loadTotalOf = (draft: Draft): Promise<void> =>
    loadTotal(
      draft,
      () => isSameOrder(draft, getState().draft),
      () => loadTotalOf(draft),
    )

  /** The packages or their prices have changed since the page was loaded. */
  const refreshOrder = (packages: StartData['packages'], draft: Draft) => {
    update({ packages, draft, grand_total: undefined, stop: undefined })
    return loadTotalOf(draft)
  }

  return { choosePackage, loadTotalOf, refreshOrder, stopWithoutTotal, retryTotal: () => retryTotal?.() }
}
