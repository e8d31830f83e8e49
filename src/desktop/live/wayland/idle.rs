//! A compositor asked to tell of it when somebody uses mouse or keyboard again: by the protocol that all have today
//! (ext-idle-notify), or the one that was there before it (KDE's, which sway had until 1.8).

use crate::desktop::wayland::{Compositor, State, hear};
use wayland_client::protocol::wl_seat::WlSeat;
use wayland_client::{Proxy, delegate_noop};
use wayland_protocols::ext::idle_notify::v1::client::ext_idle_notification_v1::{self, ExtIdleNotificationV1};
use wayland_protocols::ext::idle_notify::v1::client::ext_idle_notifier_v1::ExtIdleNotifierV1;
use wayland_protocols_plasma::idle::client::org_kde_kwin_idle::OrgKdeKwinIdle;
use wayland_protocols_plasma::idle::client::org_kde_kwin_idle_timeout::{self, OrgKdeKwinIdleTimeout};

/// So long nobody must have done anything before it is told that somebody does, in milliseconds: hands are slower, and 0 means never to
/// some compositors.
const STILL: u32 = 1;

/// From now on [`State::is_stirred`] is set by whatever is done with mouse or keyboard, the bot's own doing included.
pub fn listen(compositor: &Compositor, seat: &WlSeat) -> Result<(), String> {
    let handle = compositor.handle();
    if let Ok(notifier) = compositor.bind::<ExtIdleNotifierV1>(1..=2) {
        // A film that keeps the screen awake hides the hand from the first one.
        match notifier.version() {
            1 => notifier.get_idle_notification(STILL, seat, &handle, ()),
            _ => notifier.get_input_idle_notification(STILL, seat, &handle, ()),
        };
    } else {
        compositor.bind::<OrgKdeKwinIdle>(1..=1)?.get_idle_timeout(seat, STILL, &handle, ());
    }
    Ok(())
}

hear!(ExtIdleNotificationV1, (), |state, event, ()| {
    state.is_stirred |= matches!(event, ext_idle_notification_v1::Event::Resumed);
});

hear!(OrgKdeKwinIdleTimeout, (), |state, event, ()| {
    state.is_stirred |= matches!(event, org_kde_kwin_idle_timeout::Event::Resumed);
});

delegate_noop!(State: ExtIdleNotifierV1);
delegate_noop!(State: OrgKdeKwinIdle);
