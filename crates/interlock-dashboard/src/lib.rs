//! The dashboard: pages for people, made on the server from what `/v1` answers.
//!
//! There is no second way to a cell: every page asks the same routes as every other client, in the
//! process and with the token of whoever looks, so who may do what is decided in one place. Pages
//! work without a script; the one script there is keeps them fresh. Nothing here knows the core, the
//! store or the server.

mod api;
mod ask;
mod assets;
mod cookie;
mod form;
mod guard;
mod layout;
mod live;
mod page;
mod pages;
mod part;
mod sign_in;
mod url;
mod viewer;

use axum::Router;
use axum::middleware::{from_fn, map_response};
use std::sync::Arc;

/// What all pages share.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Inner>);

struct Inner {
    /// The routes of `/v1`.
    api: Router,
    /// Whether the door speaks TLS.
    tls: bool,
}

/// The dashboard of one server.
#[derive(Clone)]
pub struct Dashboard {
    shared: Shared,
}

impl Dashboard {
    /// A dashboard that asks these routes of `/v1`. `tls` says whether the door speaks TLS: then
    /// cookies are never sent in the clear.
    pub fn new(api: Router, tls: bool) -> Self {
        Self {
            shared: Shared(Arc::new(Inner { api, tls })),
        }
    }

    /// All pages, and what belongs to them.
    pub fn routes(&self) -> Router {
        let of_namespace = pages::routes().merge(live::routes());
        let all = Router::new()
            .merge(sign_in::routes())
            .merge(assets::routes())
            .merge(of_namespace.clone())
            .nest("/in/{namespace}", of_namespace);
        self.guarded(all)
    }

    /// The page that says that there is none: a service for every path that leads nowhere.
    pub fn nowhere(&self) -> Router {
        self.guarded(Router::new().fallback(layout::nowhere))
    }

    fn guarded(&self, routes: Router<Shared>) -> Router {
        routes
            .layer(from_fn(guard::own_origin))
            .layer(map_response(guard::headers))
            .with_state(self.shared.clone())
    }
}
